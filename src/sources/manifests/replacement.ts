import type { Path } from '../../fleet/path.js';
import type { Edit } from '../../schemas/violation.js';
import type { ManifestDocument } from './parse.js';
import type { Replacement } from './places.js';

/** What puts a mistake right in the text; undefined where it takes more than another word. */
export function replacementFor(
  { span }: Pick<ManifestDocument, 'span'>,
  { path, edit }: { readonly path: Path; readonly edit?: Edit | undefined },
): Replacement | undefined {
  const found = edit === undefined ? undefined : span(path, edit.of === 'key' ? 'key' : 'value');
  // What begins with one of these is an anchor, a tag or a block; the word is somewhere below.
  if (edit === undefined || found === undefined || /^[&!|>]/.test(found.text)) return undefined;
  const { start, end, text } = found;
  return { start, end, text: edit.of === 'quotes' ? JSON.stringify(text) : wordLike(text, edit.to) };
}

/** A word in quotes stays in quotes; so does in YAML what would mean something else without them. */
function wordLike(before: string, word: string): string {
  const isPlain = /^[A-Za-z][-A-Za-z0-9./]*$/.test(word) && !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(word);
  return isPlain && !/^["']/.test(before) ? word : JSON.stringify(word);
}
