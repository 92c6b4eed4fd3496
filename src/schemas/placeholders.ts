import { isObject } from '../fleet/json.js';

/** What to do about a template that nobody has rendered. */
export const renderFirst =
  'This looks like a template. Check what is made of it, for instance: helm template . | stageguard check -';

/** Whether a text has marks of Helm, Go or Jinja. */
export function looksLikeTemplate(text: string): boolean {
  return /\{\{|\{%/.test(text);
}

/** Whether YAML has read `{{ .Values.name }}` as what it is to YAML: an object in an object. */
export function isTemplate(value: unknown): boolean {
  if (!isObject(value)) return false;
  const [[key, inner] = [], ...more] = Object.entries(value);
  return more.length === 0 && inner === null && key?.startsWith('{') === true;
}

/** Whether a text still holds a variable: `${NAME}`, `$(NAME)`, `{{ .name }}`. */
export function hasVariable(text: string): boolean {
  return /\$\{|\$\(|\{\{|\{%/.test(text);
}

/** What to do about a variable that nobody has filled in. */
export const fillIn = 'Fill in the variable first: check what envsubst, Flux or Helm make of this file.';
