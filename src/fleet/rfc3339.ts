/** Milliseconds since 1970 of an RFC 3339 time, as Go reads it; undefined for any other text. */
export function timeOf(text = ''): number | undefined {
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(text);
  const time = isTime ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? undefined : time;
}
