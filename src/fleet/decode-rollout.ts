import type { JsonReader } from './json.js';

/** The names of overrides, undefined where there are none: those of cluster scope and those of namespaces in one list; a slash tells them apart. */
export function overrides(reader: JsonReader): readonly string[] | undefined {
  const names = [
    ...reader.field('clusterResourceOverrideSnapshots').texts(),
    ...reader
      .field('resourceOverrideSnapshots')
      .list((item) => `${item.text('namespace') ?? ''}/${item.text('name') ?? ''}`),
  ];
  return names.length === 0 ? undefined : names;
}

/** When a run last wrote to a binding. */
export function rolloutTime(status: JsonReader): string | undefined {
  const times = status
    .field('conditions')
    .list((item) => (item.text('type') === 'RolloutStarted' ? item.text('lastTransitionTime') : undefined));
  return times.find((time) => time !== undefined);
}
