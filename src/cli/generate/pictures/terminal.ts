import { html } from '../../../http/html.js';
import { svgFile } from './svg.js';

const columns = 112;
const characterWidth = 8;
const lineHeight = 18;
const margin = 16;

/** A terminal in which a command was typed, and what it said. */
export function terminalPicture(command: string, said: string): string {
  const lines = [`$ ${command}`, ...said.trimEnd().split('\n')].flatMap((line) =>
    wrapped(line).map((text) => ({ text, look: lookOf(line) })),
  );
  return svgFile({
    title: `${command}: ${said.split('\n')[0] ?? ''}`,
    width: Math.ceil(columns * characterWidth) + 2 * margin,
    height: lines.length * lineHeight + 2 * margin,
    content: lines.map(({ text, look }, at) => {
      const words = text.trimStart();
      const x = margin + (text.length - words.length) * characterWidth;
      return html`<text class="${look}" x="${x}" y="${margin + 13 + at * lineHeight}">${words}</text>`;
    }),
  });
}

/** A line as pieces that fit, at spaces; what goes on stands further in. */
function wrapped(line: string, indent = `${/^ */.exec(line)?.[0] ?? ''}  `): readonly string[] {
  if (line.length <= columns) return [line];
  const room = line.lastIndexOf(' ', columns);
  const end = room <= indent.length ? columns : room;
  return [line.slice(0, end), ...wrapped(indent + line.slice(end).trimStart(), indent)];
}

function lookOf(line: string): string {
  if (line.startsWith('$ ')) return 'strong';
  if (line.startsWith('Error')) return 'bad';
  if (line.startsWith('  Fix:')) return 'good';
  if (/^ +# /.test(line)) return 'dim';
  return line.startsWith('    ') ? 'command' : '';
}
