import { Document, isScalar, stringify, visit } from 'yaml';
import { asKubectl } from '../yaml.js';

const asWritten = { ...asKubectl, lineWidth: 0, flowCollectionPadding: false } as const;

/** A value on one line, in braces and brackets. */
export function inOneLine(value: unknown, isJson: boolean): string {
  if (isJson) return JSON.stringify(value);
  return typeof value === 'string'
    ? word(value)
    : stringify(value, { ...asWritten, collectionStyle: 'flow' }).trimEnd();
}

/** A value on as many lines as it takes; lists of plain values stay on one. */
export function inLines(value: unknown): readonly string[] {
  const document = new Document(value, asWritten);
  visit(document, {
    Seq(key, list) {
      if (key !== null) list.flow = list.items.every((item) => isScalar(item));
    },
  });
  return document.toString(asWritten).trimEnd().split('\n');
}

/** Without quotes only what cannot mean anything else. */
export function word(text: string): string {
  const isPlain =
    /^(?:[A-Za-z][-A-Za-z0-9./]*|(?:[0-9]+[hms])+)$/.test(text) &&
    !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(text);
  return isPlain ? text : JSON.stringify(text);
}
