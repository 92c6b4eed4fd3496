import { html, styleElement, type Html } from '../../../http/html.js';

/** One colour scheme for both backgrounds: whoever shows the picture has said which one it is. */
const css = `
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #1f2328; }
.ground { fill: #ffffff; stroke: #d1d9e0; } .box { fill: #f6f8fa; stroke: #d1d9e0; } .line { stroke: #59636e; }
.dim { fill: #59636e; } .bad { fill: #cf222e; } .good { fill: #1a7f37; } .command { fill: #0550ae; } .strong { font-weight: 600; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .ground { fill: #0d1117; stroke: #3d444d; } .box { fill: #151b23; stroke: #3d444d; } .line { stroke: #9198a1; }
  .dim { fill: #9198a1; } .bad { fill: #ff7b72; } .good { fill: #56d364; } .command { fill: #79c0ff; }
}
`;

export interface Picture {
  /** What it shows, for whoever does not see it. */
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly content: readonly Html[];
}

/** A picture as a file: it fetches nothing, and is readable on light and on dark pages. */
export function svgFile({ title, width, height, content }: Picture): string {
  const box = `0 0 ${String(width)} ${String(height)}`;
  const all = { xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: box, role: 'img' };
  const attributes = Object.entries(all).map(([name, value]) => html`${name}="${value}"`);
  const lines = [
    ['<svg', ...attributes].join(' ').concat('>'),
    html`<title>${title}</title>`,
    styleElement(css),
    html`<rect class="ground" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" />`,
    ...content,
    '</svg>\n',
  ];
  return lines.join('\n');
}
