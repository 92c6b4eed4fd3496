const longestText = 64;

/** In hours; KubeFleet has no letter for days and weeks. */
const hoursOf: Readonly<Record<string, number>> = { w: 7 * 24, d: 24, h: 1 };

const part =
  /^([0-9]{1,9}(?:\.[0-9]{1,9})?)(w|weeks?|d|days?|h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?)(?![a-z])/;

/**
 * What a waitTime means that is written as other tools and people write times: `2d`, `1H`, `PT1H30M`, `10 minutes`.
 * Undefined where nobody can say, as of a number without unit.
 */
export function meantTime(text: string): string | undefined {
  if (text.length > longestText) return undefined;
  const lower = text.toLowerCase().replaceAll(/\s/g, '');
  let rest = lower.replace(/^p(?=[0-9]|t[0-9])/, '');
  const isOfIso = rest !== lower;
  let hours = 0;
  let time = '';
  while (rest !== '') {
    if (isOfIso) rest = rest.replace(/^t/, '');
    const [whole, digits, unit = ''] = part.exec(rest) ?? [];
    if (whole === undefined) return undefined;
    const letter = unit.charAt(0);
    const ofLetter = hoursOf[letter];
    if (ofLetter === undefined) time += `${String(Number(digits))}${letter}`;
    else hours += Number(digits) * ofLetter;
    rest = rest.slice(whole.length);
  }
  const inHours = hours === 0 ? '' : `${String(Number(hours.toFixed(6)))}h`;
  return `${inHours}${time}` || undefined;
}
