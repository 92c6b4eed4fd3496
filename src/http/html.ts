import { visible } from '../fleet/quoted.js';

/** HTML that is safe to put into a page as it stands. */
export class Html {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

type Part = string | number | Html | readonly Html[];

/** Builds HTML; everything that is not HTML already is escaped. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((text, next, index) => text + render(parts[index - 1] ?? '') + next));
}

function render(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  return escapeHtml(String(part));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  const seen = text.split('\n').map(visible).join('\n');
  return seen.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** A style sheet, byte for byte: a Content-Security-Policy may name it by its hash. */
export function styleElement(css: string): Html {
  return new Html(`<style>${css}</style>`);
}

/** One self-contained page: nothing is fetched from anywhere. */
export function reportPage(title: string, css: string, content: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <title>${title}</title>
        ${styleElement(css)}
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html> `.text;
}
