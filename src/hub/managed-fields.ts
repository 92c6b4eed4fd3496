/** What is smaller is parsed in a moment, whatever it holds. */
const largeText = 64 * 1024;

/** In a string the quotes would be escaped, and no field of a kind of ours but that of metadata has this name. */
const mark = '"managedFields":[';

/**
 * The JSON of an object, or of a list of them, without managedFields, where it is large. Nobody reads them, but whoever may write an object
 * may fill them with a megabyte of names, and to parse that holds everybody up for a third of a second.
 */
export function withoutManagedFields(json: string): string {
  if (json.length <= largeText) return json;
  const parts: string[] = [];
  let from = 0;
  for (let found = json.indexOf(mark); found >= 0; found = json.indexOf(mark, from)) {
    const begin = found + mark.length;
    parts.push(json.slice(from, begin));
    from = endOfList(json, begin);
  }
  return [...parts, json.slice(from)].join('');
}

const structural = /["[\]\\]/g;

/** Where the bracket stands that closes a list whose first item begins at `from`. */
function endOfList(json: string, from: number): number {
  let level = 1;
  let isInText = false;
  structural.lastIndex = from;
  for (let match = structural.exec(json); match !== null; match = structural.exec(json)) {
    const [character] = match;
    if (character === '\\') structural.lastIndex++;
    else if (character === '"') isInText = !isInText;
    else if (!isInText) level += character === '[' ? 1 : -1;
    if (level === 0) return match.index;
  }
  return json.length;
}
