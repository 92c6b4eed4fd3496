import { join, normalize } from 'node:path';
import { LineCounter } from 'yaml';
import { isObject } from '../../fleet/json.js';
import type { FileReader } from './file-reader.js';
import { jsonOf, readDocuments } from './yaml.js';
import { errorIn } from './yaml-errors.js';

/** What kustomize looks for in a folder (kustomize, api/konfig/general.go). */
const names = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/** Nobody writes a longer one by hand. */
const longest = 1024 * 1024;

/**
 * The files that the kustomization of a folder applies as patches, by their real paths. A patch is a part of an object: read
 * as a whole one it lacks what the other part has.
 */
export async function patchFilesOf(
  { real, names: inside }: { readonly real: string; readonly names: readonly string[] },
  reader: FileReader,
): Promise<readonly string[]> {
  const name = names.find((one) => inside.includes(one));
  if (name === undefined) return [];
  try {
    const file = join(real, name);
    // A pipe would never end, and a link may lead anywhere.
    if ((await reader.real(file)) !== file || (await reader.stat(file)).kind !== 'file') return [];
    const text = new TextDecoder().decode(await reader.read(file, longest));
    const kustomization = firstObject(text);
    const resources = textsIn(kustomization['resources']);
    return patchesIn(kustomization)
      .filter((path) => !resources.includes(path))
      .map((path) => normalize(join(real, path)));
  } catch {
    // What cannot be read patches nothing, and is told where it is read as a manifest.
    return [];
  }
}

type Fields = Readonly<Record<string, unknown>>;

function firstObject(text: string): Fields {
  for (const document of readDocuments(text, new LineCounter())) {
    const content = errorIn(document, text) === undefined ? jsonOf(document) : undefined;
    return content !== undefined && 'json' in content && isObject(content.json) ? content.json : {};
  }
  return {};
}

/** In all the ways that kustomize has had to name them; what has line breaks is the patch itself. */
function patchesIn(kustomization: Fields): readonly string[] {
  const paths = [kustomization['patches'], kustomization['patchesJson6902']].flatMap(itemsOf).map(pathOf);
  return [...paths, ...textsIn(kustomization['patchesStrategicMerge'])].filter(
    (path): path is string => typeof path === 'string' && !path.includes('\n'),
  );
}

function pathOf(patch: unknown): unknown {
  return isObject(patch) ? patch['path'] : undefined;
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textsIn(value: unknown): readonly string[] {
  return itemsOf(value).filter((item) => typeof item === 'string');
}
