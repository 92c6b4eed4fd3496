import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'puppeteer-core';
import { run } from '../support/captured-io.js';
import { scratchFolder } from '../support/scratch.js';

/** What a command prints as html, as a page to open. */
export async function pageOf(...argv: string[]): Promise<string> {
  const { out } = await run([...argv, '--format', 'html']);
  const file = join(scratchFolder(), 'page.html');
  writeFileSync(file, out);
  return pathToFileURL(file).href;
}

/** Something as a file of JSON. */
export function jsonFile(json: unknown): string {
  const file = join(scratchFolder(), 'hub.json');
  writeFileSync(file, JSON.stringify(json));
  return file;
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds on the page that keeps somebody from using it: the rule, and where. */
export async function seriousFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  return (await page.evaluate(`axe.run().then(({ violations }) => violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`)) as readonly string[];
}

export const sizes = [
  { width: 360, height: 800 },
  { width: 1280, height: 900 },
] as const;
export const schemes = ['light', 'dark'] as const;
/** Every width with every colour scheme. */
export const looks = sizes.flatMap((size) => schemes.map((scheme) => [size.width, scheme, size] as const));

export async function look(page: Page, [, scheme, size]: (typeof looks)[number], url: string): Promise<void> {
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  await page.setViewport(size);
  await page.goto(url, { waitUntil: 'networkidle0' });
}

/** Whether anything but what scrolls by itself is wider than the screen. */
export async function isWithin(page: Page): Promise<boolean> {
  return (await page.evaluate('document.documentElement.scrollWidth <= innerWidth')) as boolean;
}

/** Where the columns of stages and gates begin. */
export async function columnsOf(page: Page): Promise<readonly { readonly left: number; readonly top: number }[]> {
  return (await page.evaluate(`[...document.querySelectorAll('.stages > li')].map((item) => {
    const { left, top } = item.getBoundingClientRect();
    return { left, top };
  })`)) as readonly { left: number; top: number }[];
}
