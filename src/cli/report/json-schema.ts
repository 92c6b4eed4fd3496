import { reasons } from '../../sources/manifests/passing-over.js';

const text = { type: 'string' } as const;
const count = { type: 'integer', minimum: 0 } as const;
const position = { type: 'integer', minimum: 1 } as const;

function object(properties: Readonly<Record<string, object>>, optional: readonly string[] = []) {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required } as const;
}

function listOf(items: object) {
  return { type: 'array', items } as const;
}

const findingFields = {
  rule: { ...text, description: 'The id of the rule; docs/rules.md has them all.' },
  severity: {
    enum: ['deny', 'warn', 'audit'],
    description: 'What it does to the write: refuses it, warns, or nothing but being recorded.',
  },
  outcome: {
    enum: ['violated', 'undetermined'],
    description:
      'Whether the rule is broken, or could not tell for something it needs is not known; that never refuses here.',
  },
  path: { ...text, description: 'The field, such as spec.stages[1].labelSelector; empty for the whole object.' },
  message: text,
  fix: { ...text, description: 'A sentence, then lines to paste.' },
  retry: { type: 'boolean', description: 'Whether sending the same again later may succeed.' },
};

const ids = { type: 'array', items: text } as const;
const said = object({ refused: ids, warned: ids, audited: ids, unknown: ids });

const place = { file: text, line: position, column: position };
const identity = { kind: text, namespace: text, name: text };
const finding = object({ ...findingFields, ...place, ...identity }, ['namespace']);

function schema(command: string, properties: Readonly<Record<string, object>>) {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: `https://stageguard.io/schemas/${command}-report.schema.json`,
    title: `stageguard ${command} --format json`,
    description: 'Fields may be added; what is here stays.',
    ...object(properties),
  };
}

/** What `--format json` prints, by command; schemas/ is written from it. */
export const reportSchemas = {
  check: schema('check', {
    findings: listOf(finding),
    errors: listOf(object({ ...place, message: text, fix: text }, ['line', 'column', 'fix'])),
    checked: { ...count, description: 'Objects that were judged.' },
    passedOver: { ...count, description: 'Objects of kinds that nobody here judges.' },
    filesPassedOver: {
      ...object(Object.fromEntries(reasons.map((reason) => [reason, count])), reasons),
      description: 'Files and folders that were not read, or hold nothing of KubeFleet, by reason.',
    },
    suppressed: {
      ...listOf(object({ ...findingFields, ...place, ...identity, reason: text }, ['namespace'])),
      description: 'What comments keep out of the findings, and why; the webhook still holds it.',
    },
    unusedComments: listOf(object({ ...place, message: text })),
  }),
  plan: schema('plan', {
    stages: listOf(object({ name: text, clusters: listOf(text) })),
    deletion: { ...listOf(text), description: 'Clusters from which the resources will be removed.' },
    findings: listOf(object(findingFields)),
  }),
  audit: schema('audit', {
    findings: listOf(object({ ...findingFields, ...identity, ...place }, ['namespace', ...Object.keys(place)])),
    errors: listOf(text),
    judged: { ...count, description: 'Stored objects that were judged.' },
  }),
  test: schema('test', {
    cases: listOf(
      object({
        ...{ name: text, ...place },
        outcome: { enum: ['passed', 'failed', 'error'] },
        expected: { ...said, description: 'The ids of rules, by what is expected to come of them.' },
        found: { ...said, description: 'The ids of rules, by what came of them.' },
        findings: listOf(object({ ...findingFields, ...identity }, ['namespace'])),
        errors: { ...listOf(text), description: 'What of the case cannot be read.' },
      }),
    ),
  }),
};
