import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from '@jest/globals';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';

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

/** A page that keeps what went wrong on it and what it asked for. */
export interface ObservedPage {
  readonly page: Page;
  readonly said: readonly string[];
  readonly requested: readonly string[];
}

/** Tests with a real browser, skipped where there is none. */
export function describeInBrowser(name: string, tests: (open: () => Promise<ObservedPage>) => void): void {
  (executablePath === undefined ? describe.skip : describe)(name, () => {
    let browser: Browser;
    let profile: string;
    beforeAll(async () => {
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
      await rm(profile, { recursive: true, force: true });
    });
    tests(async () => observe(await browser.newPage()));
  });
}

function observe(page: Page): ObservedPage {
  const said: string[] = [];
  const requested: string[] = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(String(error)));
  page.on('requestfailed', (request) => said.push(`failed: ${request.url()}`));
  page.on('request', (request) => requested.push(request.url()));
  return { page, said, requested };
}
