import { structureProblems } from '../../schemas/structure.js';
import type { ManifestProblem } from './files.js';
import { misnamedProblems, problemAt } from './objects.js';
import type { ManifestDocument } from './parse.js';

/**
 * What of a fleet looks misspelled. A hub may run a newer KubeFleet with fields and kinds that are not known here, so this
 * is not wrong; a field that many objects have is told once.
 */
export function doubtsIn(documents: readonly ManifestDocument[]): readonly ManifestProblem[] {
  const told = new Set<string>();
  const ofFields = documents.flatMap((document) => {
    const { kind, json } = document;
    if (kind === undefined) return [];
    const unknown = structureProblems(kind, json).filter(({ what, edit }) => what === 'unknown' && edit !== undefined);
    return unknown.flatMap(({ path, message }) => {
      const field = `${kind.kind} ${path.filter((step) => typeof step === 'string').join(' ')}`;
      if (told.has(field)) return [];
      told.add(field);
      return [problemAt(document, { path, message: message.replace(', which refuses or drops it', '') })];
    });
  });
  return [...misnamedProblems(documents), ...ofFields];
}
