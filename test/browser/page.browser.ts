import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import puppeteer, { type Browser } from 'puppeteer-core';
import { startStandalone } from '../../src/cli/standalone-guard.js';
import { defaultConfig } from '../../src/config/load.js';
import { silentLog } from '../../src/log.js';
import { catalogue } from '../../src/rules/index.js';
import { run } from '../support/captured-io.js';

const executablePath = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/google-chrome'].find(
  (path) => path !== undefined && existsSync(path),
);
if (executablePath === undefined) {
  process.stderr.write('The browser tests are skipped: no Chromium is installed (apt-get install chromium).\n');
}

/** What a headless browser needs where it runs as root, and what keeps it from calling home. */
const flags = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-dev-shm-usage'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

(executablePath === undefined ? describe.skip : describe)('the page in a browser', () => {
  let guard: Awaited<ReturnType<typeof startStandalone>>;
  let browser: Browser;
  let profile: string;

  beforeAll(async () => {
    const config = defaultConfig();
    guard = await startStandalone({ fleet: 'examples/fleet', config, port: 0, metricsPort: 0, log: silentLog });
    await run([
      'try',
      'examples/bad/run-snapshot-index.yaml',
      '--server',
      guard.url,
      '--user',
      '<img src=x onerror=1>',
    ]);
    profile = await mkdtemp(join(tmpdir(), 'stageguard-browser-'));
    browser = await puppeteer.launch({
      executablePath: executablePath ?? '',
      args: flags,
      userDataDir: profile,
      acceptInsecureCerts: true,
    });
  });
  afterAll(async () => {
    await browser.close();
    await guard.stop();
    await rm(profile, { recursive: true, force: true });
  });

  test('shows the fleet, the rules and the last decisions, without an error and without a request elsewhere', async () => {
    const page = await browser.newPage();
    const said: string[] = [];
    const requested: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(String(error)));
    page.on('requestfailed', (request) => said.push(`failed: ${request.url()}`));
    page.on('request', (request) => requested.push(request.url()));
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

  test('is styled: the policy lets its own style through', async () => {
    const page = await browser.newPage();
    await page.goto(`${guard.url}/`);
    const weight = await page.evaluate("getComputedStyle(document.querySelector('.refuse')).fontWeight");
    expect(weight).toBe('600');
  });

  test('fits a narrow screen', async () => {
    const page = await browser.newPage();
    await page.setViewport({ width: 400, height: 800 });
    await page.goto(`${guard.url}/`);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(400);
  });
});
