import { isAlias, isMap, isScalar, isSeq } from 'yaml';
import { riskOf, type Edit } from '../../fleet/edit.js';
import type { Path } from '../../fleet/path.js';
import { setFields, setValue } from './editing/fields.js';
import { copyItem } from './editing/items.js';
import { word } from './editing/new-text.js';
import { aroundOf, inOrder, NotEditable, rangeOf, refuseForm, type TextEdit } from './editing/text-edit.js';
import type { ManifestDocument } from './parse.js';
import type { EditInText, Replacement, Way } from './places.js';

/** Finds in the text what an edit has to change. */
export function editInText(
  { walk }: Pick<ManifestDocument, 'walk'>,
  told: { readonly path: Path; readonly edit?: Edit | undefined },
): EditInText | undefined {
  const { edit } = told;
  if (edit === undefined) return undefined;
  const path = edit.at ?? told.path;
  const way = walk(path);
  if (way === undefined) return { obstacle: 'stands in a file that is too large' };
  try {
    refuseAliases(way);
    const risk = riskOf(path, edit);
    if (risk !== undefined) refuseAnchors(way);
    const edits = merged(inOrder(editsFor(way, path, edit)));
    const at = (offset: number): Replacement['start'] => way.places.at(offset);
    const replacements = edits.map(({ from, to, text }) => ({ start: at(from), end: at(to), text }));
    return { replacements, risk };
  } catch (error) {
    if (error instanceof NotEditable) return { obstacle: error.message };
    throw error;
  }
}

/** The value of a field as it is written, where it is one word. */
export function writtenValue({ walk }: Pick<ManifestDocument, 'walk'>, path: Path): string | undefined {
  const way = walk(path);
  const node = way?.missing === 0 ? way.fields.at(-1)?.value : undefined;
  if (way === undefined || !isScalar(node)) return undefined;
  const [from, to] = rangeOf(node);
  return way.places.text.slice(from, to);
}

function editsFor(way: Way, path: Path, edit: Edit): readonly TextEdit[] {
  const field = way.missing === 0 ? way.fields.at(-1) : undefined;
  switch (edit.of) {
    case 'key':
      return [wordEdit(field?.key, way, (before) => (/^["']/.test(before) ? JSON.stringify(edit.to) : word(edit.to)))];
    case 'quotes':
      return [wordEdit(field?.value, way, (before) => JSON.stringify(before))];
    case 'value':
      return field === undefined ? newField(way, path, edit.to) : setValue(field.value, edit.to, aroundOf(way));
    case 'item':
      return itemEdits(way, path, edit.copies);
  }
}

function newField(way: Way, path: Path, to: unknown): readonly TextEdit[] {
  const parent = way.fields.at(-1)?.value;
  const name = path.at(-1);
  if (way.missing > 1 || !isMap(parent) || name === undefined) throw new NotEditable(notThere);
  return setFields(parent, { [name]: to }, aroundOf(way));
}

function itemEdits(way: Way, path: Path, copies: readonly Readonly<Record<string, unknown>>[]): readonly TextEdit[] {
  const list = way.fields.at(-2)?.value;
  const index = path.at(-1);
  if (way.missing > 0 || !isSeq(list) || typeof index !== 'number') throw new NotEditable(notThere);
  return copyItem(list, index, { copies, around: aroundOf(way) });
}

const notThere = 'is not there in the text';

function wordEdit(node: unknown, { places }: Way, write: (before: string) => string): TextEdit {
  if (!isScalar(node)) throw new NotEditable(notThere);
  refuseForm(node);
  const [from, to] = rangeOf(node);
  return { from, to, text: write(places.text.slice(from, to)) };
}

function refuseAliases({ fields, missing }: Way): void {
  const around = missing === 0 ? fields.slice(0, -1) : fields;
  if (around.some(({ value }) => isAlias(value))) {
    throw new NotEditable('stands behind an alias, so that other places would change with it');
  }
}

function refuseAnchors({ fields }: Way): void {
  const isAnchored = ({ value }: Way['fields'][number]): boolean =>
    (isMap(value) || isSeq(value) || isScalar(value)) && value.anchor !== undefined;
  if (fields.some(isAnchored))
    throw new NotEditable('stands below an anchor, so that other places would change with it');
}

/** What begins where another one has ended, is one with it. */
function merged(edits: readonly TextEdit[]): readonly TextEdit[] {
  const all: TextEdit[] = [];
  for (const edit of edits) {
    const before = all.at(-1);
    if (before?.to === edit.from) all[all.length - 1] = { ...edit, from: before.from, text: before.text + edit.text };
    else all.push(edit);
  }
  return all;
}
