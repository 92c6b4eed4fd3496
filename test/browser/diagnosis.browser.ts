import { describe, expect, test } from '@jest/globals';
import { hubNamed, type Hub, type Json } from '../support/hubs.js';
import { describeInBrowser } from './browser.js';
import { columnsOf, isWithin, jsonFile, look, looks, pageOf, seriousFindings } from './html-pages.js';

function fileOf({ items }: Pick<Hub, 'items'>): string {
  return jsonFile({ apiVersion: 'v1', kind: 'List', items });
}

const atOf = ({ recordedAt }: Hub): readonly string[] => ['--at', recordedAt];

/** The run under way, with a thousand clusters in its last stage: some updated, one stuck. */
function large(): Hub {
  const hub = hubNamed('stuck-not-available');
  const items = hub.items.map((item) => {
    if (item['kind'] !== 'ClusterStagedUpdateRun') return item;
    const run = structuredClone(item) as Json & { status: { stagesStatus: { clusters: Json[] }[] } };
    const [first, second] = run.status.stagesStatus;
    const done = { type: 'Succeeded', status: 'True', reason: 'ClusterUpdatingSucceeded', observedGeneration: 1 };
    for (let index = 0; index < 1_000; index++) {
      const clusterName = `member-of-a-large-fleet-${String(index).padStart(4, '0')}`;
      (index < 600 ? first : second)?.clusters.push({ clusterName, ...(index < 600 && { conditions: [done] }) });
    }
    return run;
  });
  return { ...hub, items };
}

const cases = {
  'stuck-not-available': hubNamed('stuck-not-available'),
  'preempted-ns': hubNamed('preempted-ns'),
  'waits-for-approval-after': hubNamed('waits-for-approval-after'),
  'removing-clusters': hubNamed('removing-clusters'),
  'a thousand clusters': large(),
};

describeInBrowser('the page of a diagnosis', (open) => {
  describe.each(Object.entries(cases))('%s', (_, hub) => {
    test.each(looks)('at %i px, %s: fits, nothing is fetched, and axe finds nothing serious', async (...how) => {
      const url = await pageOf('diagnose', '--fleet', fileOf(hub), ...atOf(hub));
      const { page, said, requested } = await open();
      await look(page, how, url);
      expect(await isWithin(page)).toBe(true);
      expect(await seriousFindings(page)).toEqual([]);
      expect(said).toEqual([]);
      expect(requested).toEqual([url]);
      await page.close();
    });
  });

  test('has the diagnosis above the stages, which are columns, or stacked on a phone', async () => {
    const hub = cases['waits-for-approval-after'];
    const url = await pageOf('diagnose', '--fleet', fileOf(hub), ...atOf(hub));
    for (const how of looks) {
      const { page } = await open();
      await look(page, how, url);
      const columns = await columnsOf(page);
      expect(columns).toHaveLength(4);
      const along = columns.map(({ left, top }) => (how[0] === 360 ? top : left));
      expect(along).toEqual(along.toSorted((a, b) => a - b));
      expect(new Set(along).size).toBe(columns.length);
      const bottom = await page.evaluate("document.querySelector('.causes').getBoundingClientRect().bottom");
      for (const { top } of columns) expect(top).toBeGreaterThan(bottom as number);
      await page.close();
    }
  });

  test('shows of a thousand clusters what needs eyes, and the others when asked', async () => {
    const hub = cases['a thousand clusters'];
    const { page } = await open();
    await page.setViewport({ width: 1280, height: 900 });
    await page.goto(await pageOf('diagnose', '--fleet', fileOf(hub), ...atOf(hub)));
    const shown = "[...document.querySelectorAll('.cells li')].filter((cell) => cell.checkVisibility())";
    expect(await page.evaluate(`${shown}[0].textContent`)).toBe('eu-stg-1');
    expect(await page.evaluate(`${shown}.length`)).toBeLessThan(60);
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(3_000);
    await page.click('details summary');
    expect(await page.evaluate(`${shown}.length`)).toBeGreaterThan(400);
    await page.close();
  });

  test('of several runs begins with all of them, each a link to its own part', async () => {
    const [first, second] = [hubNamed('stopped'), hubNamed('timed-wait')];
    const { page } = await open();
    await page.goto(
      await pageOf('diagnose', '--fleet', fileOf({ items: [...first.items, ...second.items] }), ...atOf(first)),
    );
    const texts = (await page.evaluate(
      "[...document.querySelectorAll('.overview li')].map((item) => item.innerText)",
    )) as string[];
    expect(texts.map((text) => text.replaceAll(/\s+/g, ' ')).sort()).toEqual([
      expect.stringMatching(/^waits ClusterStagedUpdateRun .*: stopped$/),
      expect.stringMatching(/^waits ClusterStagedUpdateRun .*: waiting for a time to pass$/),
    ]);
    await page.click('.overview a');
    expect(await page.evaluate('document.querySelector(location.hash).matches(".run")')).toBe(true);
    expect(await seriousFindings(page)).toEqual([]);
    await page.close();
  });
});
