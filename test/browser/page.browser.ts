import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startStandalone } from '../../src/guard/serving/standalone-guard.js';
import { fixedSettings } from '../../src/config/config.js';
import { defaultConfig } from '../../src/config/load.js';
import { silentLog } from '../../src/log.js';
import { catalogue } from '../../src/rules/index.js';
import { run } from '../support/captured-io.js';
import { describeInBrowser } from './browser.js';

const isPlanVisible = "document.querySelector('.stage h3').checkVisibility()";

describeInBrowser('the page of a standalone guard', (open) => {
  let guard: Awaited<ReturnType<typeof startStandalone>>;

  beforeAll(async () => {
    const settings = fixedSettings(defaultConfig());
    guard = await startStandalone({ fleet: 'examples/fleet', settings, port: 0, metricsPort: 0, log: silentLog });
    const user = '<img src=x onerror=1>';
    await run(['try', 'examples/bad/run-snapshot-index.yaml', '--server', guard.url, '--user', user]);
  });
  afterAll(async () => {
    await guard.stop();
  });

  test('shows the fleet, the rules and the last decisions, without an error and without a request elsewhere', async () => {
    const { page, said, requested } = await open();
    const response = await page.goto(`${guard.url}/`, { waitUntil: 'networkidle0' });
    expect(response?.status()).toBe(200);
    const text = (await page.evaluate('document.body.innerText')) as string;
    for (const { id } of catalogue) expect(text).toContain(id);
    expect(text).toContain('storefront-v15-index');
    expect(text).toContain('<img src=x onerror=1>');
    expect(text).toContain('eu-prod-1');
    expect(said).toEqual([]);
    expect(requested.filter((url) => !url.startsWith('data:'))).toEqual([`${guard.url}/`]);
  });

  test('shows the plan of a run when its line is opened', async () => {
    const { page, said } = await open();
    await page.goto(`${guard.url}/`);
    expect(await page.evaluate(isPlanVisible)).toBe(false);
    await page.click('details summary');
    expect(await page.evaluate(isPlanVisible)).toBe(true);
    expect(said).toEqual([]);
  });

  test('is styled: the policy lets its own style through', async () => {
    const { page } = await open();
    await page.goto(`${guard.url}/`);
    const weight = await page.evaluate("getComputedStyle(document.querySelector('.refuse')).fontWeight");
    expect(weight).toBe('600');
  });

  test('fits a narrow screen', async () => {
    const { page } = await open();
    await page.setViewport({ width: 400, height: 800 });
    await page.goto(`${guard.url}/`);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(400);
  });
});
