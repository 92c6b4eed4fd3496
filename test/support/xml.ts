/** An element of XML; its texts are joined. */
export interface Element {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  readonly text: string;
}

/** What XML 1.0 allows in a document (section 2.2). */
const legal = /^[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]*$/u;

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

interface Open extends Element {
  readonly children: Element[];
  text: string;
}

/** A reader of the little XML that reports are made of; raises where a text is not well-formed. */
export function parseXml(text: string): Element {
  if (!legal.test(text)) throw new Error('a character that XML does not allow');
  const body = text.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, '');
  const stack: Open[] = [{ tag: '', attributes: {}, children: [], text: '' }];
  const token = /<(\/?)([A-Za-z][\w-]*)((?:\s+[\w-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/gy;
  let end = 0;
  for (const match of body.matchAll(token)) {
    end = match.index + match[0].length;
    take(match, stack);
  }
  if (end < body.length) throw new Error(`not XML: ${body.slice(end, end + 40)}`);
  if (stack.length !== 1) throw new Error('an element is not closed, or too many are');
  const [only, another] = stack[0]?.children ?? [];
  if (only === undefined || another !== undefined || stack[0]?.text.trim() !== '') throw new Error('not one root');
  return only;
}

function take([, closing, tag = '', attributes = '', empty, chars]: RegExpExecArray, stack: Open[]): void {
  const top = stack.at(-1);
  if (top === undefined) throw new Error('text after the end');
  if (chars !== undefined) top.text += unescaped(chars);
  else if (closing === '/') {
    if (top.tag !== tag) throw new Error(`</${tag}> closes <${top.tag}>`);
    stack.pop();
  } else {
    const element: Open = { tag, attributes: attributesIn(attributes), children: [], text: '' };
    top.children.push(element);
    if (empty !== '/') stack.push(element);
  }
}

function attributesIn(text: string): Record<string, string> {
  const given = Array.from(text.matchAll(/([\w-]+)="([^"<]*)"/g));
  const names = given.map(([, name = '']) => name);
  if (new Set(names).size < names.length) throw new Error('an attribute stands twice');
  return Object.fromEntries(given.map(([, name = '', value = '']) => [name, unescaped(value)]));
}

function unescaped(text: string): string {
  return text.replaceAll(/&(?:(\w+);)?/g, (whole, name: string | undefined) => {
    const character = named[name ?? ''];
    if (character === undefined) throw new Error(`${whole} is no entity`);
    return character;
  });
}
