import { nearest } from '../../fleet/nearest.js';
import { quoted } from '../../fleet/quoted.js';

/** `; did you mean "x"?` for the nearest of the candidates, or nothing if none is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const near = nearest(word, candidates);
  return near === undefined ? '' : `; did you mean ${quoted(near)}?`;
}
