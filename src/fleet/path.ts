/** Where in an object something is: field names and list positions from the root. */
export type Path = readonly (string | number)[];

const plainField = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Writes a path the way people and kubectl do: `spec.stages[1].labelSelector`. */
export function formatPath(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${String(step)}]`;
    if (!plainField.test(step)) return `${text}[${JSON.stringify(step)}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}
