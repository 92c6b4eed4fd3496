import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'puppeteer-core';
import { describeInBrowser } from './browser.js';
import { columnsOf, isWithin, jsonFile, look, looks, pageOf, seriousFindings } from './html-pages.js';
import { largeFleet } from './large-fleet.js';

function planPageOf(manifest: string): Promise<string> {
  return pageOf('plan', manifest, '--fleet', 'examples/fleet');
}

/** Runs in the page: every text that has too little contrast to what lies behind it (WCAG 2, level AA). */
const faintTexts = `(() => {
  const channels = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const groundOf = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = channels(getComputedStyle(e).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const faint = [];
  let seen = 0;
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.textContent.trim() || !element) continue;
    seen += 1;
    const [a, b] = [luminance(channels(getComputedStyle(element).color)), luminance(groundOf(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) faint.push(texts.currentNode.textContent.trim() + ' ' + ratio.toFixed(2));
  }
  return { seen, faint };
})()`;

async function textsOf(page: Page, selector: string): Promise<readonly string[]> {
  const script = `[...document.querySelectorAll(${JSON.stringify(selector)})].map(({ textContent }) => textContent)`;
  return (await page.evaluate(script)) as string[];
}

describeInBrowser('the page of a plan', (open) => {
  let good: string;
  let bad: string;
  beforeAll(async () => {
    good = await planPageOf('examples/good/run-explicit-index.yaml');
    bad = await planPageOf('examples/bad/run-cluster-in-some-stage.yaml');
  });

  test('has the stages as columns in their order, with gates between them', async () => {
    const { page, said, requested } = await open();
    await page.goto(good, { waitUntil: 'networkidle0' });
    const columns = (await page.evaluate(`[...document.querySelectorAll('.stages > li')].map((item) => ({
      text: (item.querySelector('h3') ?? item).textContent.replaceAll(/\\s+/g, ' ').trim(),
      left: item.getBoundingClientRect().left,
    }))`)) as { text: string; left: number }[];
    expect(columns.map(({ text }) => text)).toEqual([
      '1. staging',
      'wait 1h after staging',
      '2. canary',
      'approval before production',
      '3. production',
    ]);
    const lefts = columns.map(({ left }) => left);
    expect(lefts).toEqual(lefts.toSorted((a, b) => a - b));
    expect(said).toEqual([]);
    expect(requested).toEqual([good]);
  });

  test('has a card for each cluster with its labels', async () => {
    const { page } = await open();
    await page.goto(good);
    const [card] = await textsOf(page, '.cluster');
    expect(card).toContain('eu-stg-1');
    expect(card).toContain('environment=staging');
  });

  test('marks what is wrong where it arises, and says how to fix it', async () => {
    const { page, said } = await open();
    await page.goto(bad);
    const leftOut = await textsOf(page, '.left-out .cluster strong');
    expect(leftOut).toEqual(['eu-can-1', 'eu-stg-1', 'us-can-1', 'us-stg-1']);
    expect((await textsOf(page, '.findings .deny')).join()).toContain('kubectl edit clusterstagedupdatestrategies');
    expect(said).toEqual([]);
  });

  test.each(['light', 'dark'])('can be read in the %s scheme', async (value) => {
    const { page } = await open();
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
    for (const url of [good, bad]) {
      await page.goto(url);
      const { seen, faint } = (await page.evaluate(faintTexts)) as { seen: number; faint: string[] };
      expect(seen).toBeGreaterThan(20);
      expect(faint).toEqual([]);
    }
  });

  test('is stacked on a phone', async () => {
    const { page } = await open();
    await page.setViewport({ width: 360, height: 800 });
    await page.goto(good);
    const tops = (await page.evaluate(
      "[...document.querySelectorAll('.stages > li')].map((item) => item.getBoundingClientRect().top)",
    )) as number[];
    expect(tops).toEqual(tops.toSorted((a, b) => a - b));
    expect(new Set(tops).size).toBe(tops.length);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });

  test('can be used by keyboard and by screen reader', async () => {
    const { page } = await open();
    await page.setViewport({ width: 700, height: 800 });
    await page.goto(good);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.className')).toBe('board');
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction("document.querySelector('.board').scrollLeft > 0");
    const tree = JSON.stringify(await page.accessibility.snapshot());
    for (const name of [
      'Stages of ClusterStagedUpdateRun',
      '1. staging',
      'environment=staging',
      'approval',
      'before production',
    ])
      expect(tree).toContain(name);
    expect(await page.evaluate('document.documentElement.lang')).toBe('en');
  });

  test.each(looks)('at %i px, %s: axe finds nothing serious', async (...how) => {
    for (const url of [good, bad]) {
      const { page } = await open();
      await look(page, how, url);
      expect(await isWithin(page)).toBe(true);
      expect(await seriousFindings(page)).toEqual([]);
      await page.close();
    }
  });

  test.each(looks)('at %i px, %s: a thousand clusters can be read', async (...how) => {
    const { fleet, run } = largeFleet(1_000);
    const url = await pageOf('plan', jsonFile(run), '--fleet', jsonFile(fleet));
    const { page } = await open();
    await look(page, how, url);
    expect(await isWithin(page)).toBe(true);
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(4_000);
    const columns = await columnsOf(page);
    const along = columns.map(({ left, top }) => (how[0] === 360 ? top : left));
    expect(along).toEqual(along.toSorted((a, b) => a - b));
    expect(new Set(along).size).toBe(9);
    for (const summary of await page.$$('details summary')) await summary.click();
    const names = "[...document.querySelectorAll('.cells li')].filter((cell) => cell.checkVisibility()).length";
    expect(await page.evaluate(names)).toBe(1_000);
    expect(await isWithin(page)).toBe(true);
    expect(await seriousFindings(page)).toEqual([]);
    await page.close();
  });
});
