import type { Diagnosis } from './diagnosis.js';

/** What is called by a name, and how it is called in its place: `cluster-1`. */
export type Kind = 'cluster' | 'namespace' | 'run' | 'placement' | 'strategy' | 'object';

/** Hands out placeholders; the same name gets the same one throughout a report. */
export class Redaction {
  private readonly placeholders = new Map<string, string>();
  private readonly counts = new Map<Kind, number>();

  add(kind: Kind, name: string | undefined): void {
    if (name === undefined || name === '' || this.placeholders.has(name)) return;
    const number = (this.counts.get(kind) ?? 0) + 1;
    this.counts.set(kind, number);
    this.placeholders.set(name, `${kind}-${String(number)}`);
  }

  /** The same diagnosis without the names, and without the addresses that messages of others hold. */
  redact(diagnosis: Diagnosis): Diagnosis {
    const { name, namespace } = diagnosis.run;
    this.add('namespace', namespace);
    this.add('run', name);
    for (const { evidence } of diagnosis.causes) {
      for (const { object, field } of evidence) {
        this.add('namespace', object.namespace);
        this.add('object', object.name);
        const [, namespace, resource] = /\[[A-Z]\w+ (?:([^/\]]+)\/)?([^\]]+)\]/.exec(field) ?? [];
        this.add('namespace', namespace);
        this.add('object', resource);
      }
    }
    // The longest first: many names begin with others.
    const names = [...this.placeholders.keys()].sort((a, b) => b.length - a.length);
    // What goes on behind a dash is a name that was made of it: of a snapshot, of a request, of the next run.
    const known = new RegExp(`(?<![A-Za-z0-9-])(?:${names.map(literally).join('|')})(?![A-Za-z0-9])`, 'g');
    const text = (value: string): string =>
      value
        .replaceAll(known, (found) => this.placeholders.get(found) ?? found)
        .replaceAll(addresses, (found) => (ofKubeFleet.test(found) ? found : '…'));
    return mapTexts(diagnosis, text) as Diagnosis;
  }
}

/** Hosts, images and IP addresses. Fields of objects have dots as well, and capital letters or no more than two parts. */
const addresses =
  /\b(?:\d{1,3}\.){3}\d{1,3}\b|\b(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|local|internal|svc)\b(?:[/:][\w./:@-]*)?/g;

/** The groups and labels of its API say nothing of anybody. */
const ofKubeFleet = /^(?:[a-z]+\.)?kubernetes-fleet\.io(?:\/|$)/;

function literally(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function mapTexts(value: unknown, text: (value: string) => string): unknown {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, text));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapTexts(inner, text)]));
}
