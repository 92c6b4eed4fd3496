import { join } from 'node:path';
import { commands, type Follow } from './case.js';
import type { Refusal } from './refusal.js';

/** An editor that sets these fields of the spec. */
export function editor(fields: object): Record<string, string> {
  const text = Buffer.from(JSON.stringify(fields)).toString('base64');
  return { KUBE_EDITOR: `${process.execPath} ${join(import.meta.dirname, 'kube-editor.mjs')} ${text}` };
}

/** Pastes the commands, and does in the editor what the text says, with what it prints. */
export function edited(fields: (refusal: Refusal) => object): Follow {
  return (refusal, site, sent) => commands({ env: editor(fields(refusal)) })(refusal, site, sent);
}
