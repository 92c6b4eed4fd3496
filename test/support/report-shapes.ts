import { Ajv, type ValidateFunction } from 'ajv';
import { parseXml, type Element } from './xml.js';

const text = { type: 'string', minLength: 1 };
const position = { type: 'integer', minimum: 1 };

function closed(properties: Record<string, object>, ...optional: string[]): object {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', additionalProperties: false, properties, required };
}

function listOf(items: object, more: object = {}): object {
  return { type: 'array', items, ...more };
}

/** Messages are texts, in which a link is an order to the reader (SARIF 2.1.0, 3.11). */
const message = closed({ text: { ...text, not: { pattern: '(?<!\\\\)\\]\\(' } } });
const level = { enum: ['none', 'note', 'warning', 'error'] };

/** 3.4: an address is relative to a base that the run names, or absolute; RFC 3986 has these characters. */
const uriReference = {
  type: 'string',
  pattern: "^[A-Za-z0-9\\-._~:/?@!$&'()*+,;=%]+$",
  not: { pattern: '%(?![0-9A-F]{2})' },
};
const artifactLocation = {
  ...closed({ uri: uriReference, uriBaseId: { const: 'SRCROOT' } }, 'uriBaseId'),
  if: { required: ['uriBaseId'] },
  then: { properties: { uri: { not: { pattern: '^(/|[a-z]+:|\\.\\./)' } } } },
  else: { properties: { uri: { pattern: '^file:///' } } },
};
const region = closed(
  { startLine: position, startColumn: position, endLine: position, endColumn: position },
  ...['endLine', 'endColumn'],
);
const replacement = closed(
  { deletedRegion: region, insertedContent: closed({ text: { type: 'string' } }) },
  'insertedContent',
);

const result = {
  ...closed(
    {
      ruleId: text,
      ruleIndex: { type: 'integer', minimum: 0 },
      kind: { enum: ['fail', 'open'] },
      level,
      message,
      locations: listOf(
        closed(
          {
            physicalLocation: closed({ artifactLocation, region }),
            logicalLocations: listOf(closed({ fullyQualifiedName: text, kind: text }), { minItems: 1 }),
          },
          ...['physicalLocation', 'logicalLocations'],
        ),
      ),
      partialFingerprints: { type: 'object', minProperties: 1, additionalProperties: text },
      fixes: listOf(
        closed({
          description: message,
          artifactChanges: listOf(closed({ artifactLocation, replacements: listOf(replacement, { minItems: 1 }) }), {
            minItems: 1,
          }),
        }),
        { minItems: 1 },
      ),
      suppressions: listOf(closed({ kind: { enum: ['inSource', 'external'] }, justification: text })),
    },
    ...['fixes', 'suppressions'],
  ),
  // 3.27.10: what is no failure has no level.
  if: { properties: { kind: { const: 'fail' } } },
  else: { properties: { level: { const: 'none' } } },
};

const sarifSchema = closed({
  $schema: { const: 'https://json.schemastore.org/sarif-2.1.0.json' },
  version: { const: '2.1.0' },
  runs: listOf(
    closed({
      tool: closed({
        driver: closed({
          name: text,
          version: text,
          semanticVersion: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+' },
          rules: listOf(
            closed(
              {
                id: text,
                shortDescription: message,
                fullDescription: message,
                help: closed({ text, markdown: text }),
                defaultConfiguration: closed({ level }),
              },
              ...['shortDescription', 'fullDescription', 'help', 'defaultConfiguration'],
            ),
            { uniqueItems: true },
          ),
        }),
      }),
      columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
      originalUriBaseIds: { type: 'object', additionalProperties: closed({ description: message }) },
      invocations: listOf(
        closed(
          {
            executionSuccessful: { type: 'boolean' },
            toolExecutionNotifications: listOf(closed({ level, message, associatedRule: closed({ id: text }) })),
          },
          'toolExecutionNotifications',
        ),
      ),
      results: listOf(result),
    }),
    { minItems: 1 },
  ),
});

/** https://docs.gitlab.com/ci/testing/code_quality: the fields that it reads, and no others. */
const gitlabSchema = listOf(
  closed({
    description: text,
    check_name: text,
    fingerprint: text,
    severity: { enum: ['info', 'minor', 'major', 'critical', 'blocker'] },
    location: closed({
      // `./` before a path keeps GitLab from finding the file.
      path: { ...text, not: { pattern: '^\\./' } },
      lines: closed({ begin: position }),
    }),
  }),
);

const ajv = new Ajv({ allErrors: true, strictTypes: false, strictRequired: false });
const isSarif = ajv.compile(sarifSchema);
const isGitlab = ajv.compile(gitlabSchema);

function problemsBy(validate: ValidateFunction, value: unknown): readonly string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message: what }) => `${instancePath}: ${what ?? ''}`);
}

interface Sarif {
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
    readonly results: readonly {
      readonly ruleId: string;
      readonly ruleIndex: number;
      readonly partialFingerprints: Readonly<Record<string, string>>;
    }[];
  }[];
}

/** What the standard asks of a log beside the shape of its parts: that they fit together. */
export function sarifProblems(log: string): readonly string[] {
  const value: unknown = JSON.parse(log);
  const shape = problemsBy(isSarif, value);
  if (shape.length > 0) return shape;
  return (value as Sarif).runs.flatMap(({ tool, results }) => {
    const { rules } = tool.driver;
    const strays = results.filter(({ ruleId, ruleIndex }) => rules[ruleIndex]?.id !== ruleId);
    return [
      ...strays.map(({ ruleId }) => `${ruleId}: ruleIndex leads to another rule`),
      ...twice(results.map(({ partialFingerprints }) => JSON.stringify(partialFingerprints))),
      ...twice(rules.map(({ id }) => id)),
    ];
  });
}

export function gitlabProblems(report: string): readonly string[] {
  const value: unknown = JSON.parse(report);
  const shape = problemsBy(isGitlab, value);
  return shape.length > 0 ? shape : twice((value as { fingerprint: string }[]).map(({ fingerprint }) => fingerprint));
}

function twice(all: readonly string[]): readonly string[] {
  return all.filter((one, at) => all.indexOf(one) < at).map((one) => `${one} stands twice`);
}

/** Which attributes and children an element of the Jenkins schema of JUnit has, as far as we write them. */
const junitElements: Readonly<Record<string, { attributes: readonly string[]; children: readonly string[] }>> = {
  testsuites: { attributes: ['name', 'tests', 'failures', 'errors'], children: ['testsuite'] },
  testsuite: { attributes: ['name', 'tests', 'failures', 'errors'], children: ['testcase'] },
  testcase: { attributes: ['name', 'classname'], children: ['error', 'failure', 'system-out'] },
  error: { attributes: ['message', 'type'], children: [] },
  failure: { attributes: ['message', 'type'], children: [] },
  'system-out': { attributes: [], children: [] },
};

/** Well-formed, by the schema, and with counts that are true. */
export function junitProblems(report: string): readonly string[] {
  const root = parseXml(report);
  return [...(root.tag === 'testsuites' ? [] : ['the root is no testsuites']), ...elementProblems(root)];
}

function elementProblems(element: Element): readonly string[] {
  const { tag, attributes, children, text: inner } = element;
  const rule = junitElements[tag];
  if (rule === undefined) return [`<${tag}> is not known`];
  const order = children.map((child) => rule.children.indexOf(child.tag));
  return [
    ...(Object.keys(attributes).join() === rule.attributes.join()
      ? []
      : [`<${tag}>: ${Object.keys(attributes).join()}`]),
    ...(order.includes(-1) || order.some((at, index) => at < (order[index - 1] ?? 0))
      ? [`<${tag}>: its children`]
      : []),
    ...(children.length > 0 && inner.trim() !== '' ? [`<${tag}>: text beside elements`] : []),
    ...(tag.startsWith('testsuite') ? countProblems(element) : []),
    ...children.flatMap(elementProblems),
  ];
}

function countProblems(suite: Element): readonly string[] {
  const inside = (element: Element): readonly Element[] => [element, ...element.children.flatMap(inside)];
  const all = inside(suite);
  const counted = { tests: 'testcase', failures: 'failure', errors: 'error' };
  return Object.entries(counted).flatMap(([name, tag]) => {
    const found = all.filter((element) => element.tag === tag).length;
    return suite.attributes[name] === String(found) ? [] : [`<${suite.tag}>: ${name}`];
  });
}

/** One workflow command of GitHub Actions, as its runner reads it (src/Runner.Common/ActionCommand.cs). */
export interface Annotation {
  readonly level: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly text: string;
}

export function annotationsIn(report: string): readonly Annotation[] {
  if (report === '') return [];
  return report
    .trimEnd()
    .split('\n')
    .map((line) => {
      const match = /^::(error|warning|notice) ((?:[a-z]+=[^,:]*)(?:,[a-z]+=[^,:]*)*)::(.*)$/.exec(line);
      if (match === null) throw new Error(`not a workflow command: ${line}`);
      const [, level = '', properties = '', data = ''] = match;
      const given = properties
        .split(',')
        .map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]);
      return {
        level,
        properties: Object.fromEntries(given.map(([name = '', value = '']) => [name, decoded(value, true)])),
        text: decoded(data, false),
      };
    });
}

function decoded(text: string, isProperty: boolean): string {
  const data = text.replaceAll('%0D', '\r').replaceAll('%0A', '\n');
  const whole = isProperty ? data.replaceAll('%3A', ':').replaceAll('%2C', ',') : data;
  return whole.replaceAll('%25', '%');
}
