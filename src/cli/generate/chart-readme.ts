import { isMap, isScalar, parse, parseDocument, type Pair, type YAMLMap } from 'yaml';
import { valuesSchema } from './chart-values.js';

/** The files of the chart that people write. */
export interface ChartTexts {
  readonly values: string;
  readonly manifest: string;
}

interface Manifest {
  readonly description: string;
  readonly version: string;
  readonly kubeVersion: string;
  readonly home: string;
}

interface Row {
  readonly name: string;
  /** Absent where only the values below it have one. */
  readonly value?: unknown;
  readonly comment: string;
}

/** What the values of the chart are, from values.yaml and its comments. */
export function chartReadme({ values, manifest }: ChartTexts): string {
  const { description, version, kubeVersion, home } = parse(manifest) as Manifest;
  const { contents } = parseDocument(values);
  if (!isMap(contents)) throw new Error('values.yaml is not a map');
  const rows = rowsOf(contents, { schema: valuesSchema(), prefix: '' });
  const silent = rows.filter(({ comment }) => comment === '').map(({ name }) => name);
  if (silent.length > 0) throw new Error(`values.yaml says nothing of ${silent.join(', ')}`);
  const doc = (name: string): string => `${home}/blob/main/docs/${name}`;
  return [
    '# The chart of stageguard',
    '<!-- Written by `npm run docs` from Chart.yaml and values.yaml. Do not edit. -->',
    `${description}: version ${version}, for Kubernetes ${kubeVersion.replace('-0', '')}.`,
    'From a clone, with an image that you have built:',
    [
      '```sh',
      'helm install stageguard charts/stageguard --namespace fleet-stageguard --create-namespace \\',
      '  --set image.repository=registry.example.com/stageguard',
      '```',
    ].join('\n'),
    `[Step by step](${doc('install.md')}), with the image, what to look at afterwards and the brake; [first softly](${doc('rollout.md')}); ` +
      `[upgrade](${doc('upgrade.md')}); [uninstall](${doc('uninstall.md')}); [alerts and a dashboard](${doc('operations.md')}).`,
    '## Values',
    'What is not in this list is refused, and so is what would take a hub down.',
    ['| value | default | what it is |', '|---|---|---|', ...rows.map(lineOf)].join('\n'),
  ]
    .join('\n\n')
    .concat('\n');
}

interface Place {
  readonly schema: object;
  readonly prefix: string;
}

/** A map whose keys the schema names is a section; any other is a value. */
function rowsOf(map: YAMLMap, { schema, prefix }: Place): readonly Row[] {
  const { properties = {} } = schema as { readonly properties?: Readonly<Record<string, object>> };
  return map.items.flatMap((pair, index) => {
    const key = String(isScalar(pair.key) ? pair.key.value : pair.key);
    const name = `${prefix}${key}`;
    const comment = commentOf(pair, index === 0 ? map : undefined);
    const within = properties[key] ?? {};
    // The settings have a schema of their own.
    if (!isMap(pair.value) || !('properties' in within) || key === 'config') {
      return [{ name, comment, value: plainOf(pair) }];
    }
    const rows = rowsOf(pair.value, { schema: within, prefix: `${name}.` });
    return comment === '' ? rows : [{ name, comment }, ...rows];
  });
}

/** The comment above the first key of a map is read as one of the map. */
function commentOf({ key }: Pair, map: YAMLMap | undefined): string {
  const own = isScalar(key) ? key.commentBefore : undefined;
  const text = own ?? map?.commentBefore ?? '';
  return text.replaceAll(/\s+/g, ' ').trim();
}

function plainOf({ value }: Pair): unknown {
  return (value as { toJSON(): unknown } | null)?.toJSON();
}

function lineOf({ name, value, comment }: Row): string {
  const shown = value === undefined ? '' : `\`${JSON.stringify(value)}\``;
  return `| ${[`\`${name}\``, shown, comment].join(' | ').replaceAll('<', '&lt;')} |`;
}
