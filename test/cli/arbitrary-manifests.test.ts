import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { loadConfig } from '../../src/config/load.js';
import { configSchema } from '../../src/config/schema.js';
import { GuardError } from '../../src/errors.js';
import { kinds } from '../../src/fleet/kinds.js';
import { catalogue } from '../../src/rules/index.js';
import {
  binding,
  cluster,
  placement,
  policySnapshot,
  resourceSnapshot,
  run as updateRun,
  stage,
  strategy,
} from '../support/builders.js';
import { run, type Captured } from '../support/captured-io.js';
import { startExampleGuard } from '../support/example-guard.js';
import { fuzz, fuzzTimeout, tellCounts } from '../support/fuzz.js';
import { hostileTexts } from '../support/hostile.js';
import { jsonIn, scopes } from '../support/scopes.js';
import { scratchFolder } from '../support/scratch.js';

let guard: Awaited<ReturnType<typeof startExampleGuard>>;
const folder = scratchFolder();
/** A hub that is read at once. */
const small = join(folder, 'hub.json');
const objects = [
  placement(),
  policySnapshot(),
  resourceSnapshot(0),
  strategy('rings', stage('canary'), stage('prod')),
  ...['canary', 'prod'].flatMap((name) => [cluster(name, { ring: name }), binding(name)]),
  updateRun('release'),
];
const items = scopes.flatMap((scope) => objects.map((draft) => jsonIn(scope, draft)));
writeFileSync(small, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
beforeAll(async () => {
  guard = await startExampleGuard();
});
afterAll(() => guard.stop());

const text = fc.oneof(
  fc.constantFrom(...hostileTexts, 'shop', 'rings', 'release', 'canary', 'prod', 'Run', 'True', 'team-a', ''),
  fc.string({ unit: 'binary', maxLength: 8 }),
);
const json = fc.oneof(text, fc.jsonValue({ maxDepth: 2 }));
const oneOf = (...values: string[]): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 60, arbitrary: fc.constantFrom(...values) }, json);
const labels = fc.oneof({ weight: 60, arbitrary: fc.dictionary(text, text, { maxKeys: 3 }) }, json);
const record = (model: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 80, arbitrary: fc.record(model, { requiredKeys: [] }) }, json);
const listOf = (item: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 80, arbitrary: fc.array(item, { maxLength: 3 }) }, json);

const conditions = listOf(
  record({
    type: oneOf('Succeeded', 'Initialized', 'Progressing', 'Scheduled', 'Approved', 'ApprovalAccepted'),
    status: oneOf('True', 'False', 'Unknown'),
    reason: oneOf('UpdateRunStuck', 'UpdateRunStopped'),
    message: text,
    observedGeneration: fc.oneof({ weight: 60, arbitrary: fc.nat() }, json),
  }),
);
const tasks = listOf(record({ type: oneOf('Approval', 'TimedWait'), waitTime: oneOf('1h', '0s', '1d') }));
const stages = listOf(
  record({
    name: text,
    labelSelector: record({
      matchLabels: labels,
      matchExpressions: listOf(record({ key: text, operator: oneOf('In', 'NotIn', 'Exists'), values: listOf(text) })),
    }),
    sortingLabelKey: text,
    maxConcurrency: fc.oneof(fc.integer(), oneOf('50%', '0%')),
    beforeStageTasks: tasks,
    afterStageTasks: tasks,
  }),
);
const object = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...kinds),
        fc.constantFrom('v1', 'v1beta1', 'v1alpha1'),
        record({
          name: text,
          generateName: text,
          namespace: text,
          labels,
          annotations: labels,
          creationTimestamp: oneOf('2026-11-18T09:00:00Z'),
        }),
        record({
          placementName: text,
          stagedRolloutStrategyName: text,
          resourceSnapshotIndex: oneOf('0', '01', 'x'),
          state: oneOf('Run', 'Stop', 'Initialize'),
          parentStageRollout: text,
          targetStage: text,
          stages,
          strategy: record({ type: oneOf('External', 'RollingUpdate') }),
          policy: record({
            placementType: oneOf('PickAll', 'PickN', 'PickFixed'),
            clusterNames: listOf(text),
            numberOfClusters: fc.integer(),
          }),
          clusterName: text,
          targetCluster: text,
        }),
        record({
          conditions,
          stagesStatus: listOf(
            record({ stageName: text, clusters: listOf(record({ clusterName: text, conditions })), conditions }),
          ),
          stagedUpdateStrategySnapshot: record({ stages }),
          resourceSnapshotIndexUsed: text,
        }),
      )
      .map(([{ group, kind }, version, metadata, spec, status]) => ({
        apiVersion: `${group}/${version}`,
        kind,
        metadata,
        spec,
        status,
      })),
  },
  json,
);
const file = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.array(object, { maxLength: 5 }).map((objects) => objects.map((one) => stringify(one)).join('---\n')),
  },
  {
    weight: 5,
    arbitrary: fc
      .array(object, { maxLength: 5 })
      .map((items) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items })),
  },
  fc.string({ unit: 'binary' }),
  text,
);

/** Nothing but line breaks and what is seen. */
const raw = /(?![ \n])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;
const order = /^\s*::|##\[|##vso/m;

const counts: Record<string, number> = {};

function expectSound(command: string, { code, out, err }: Captured): void {
  const key = `${command} ${String(code)}`;
  counts[key] = (counts[key] ?? 0) + 1;
  expect([0, 1, 2]).toContain(code);
  expect(err).not.toContain('has a bug');
  for (const said of [out, err]) {
    expect(said).not.toMatch(raw);
    expect(said).not.toMatch(order);
    expect(said).not.toMatch(/^\s*(?:EVIL|touch PWNED)/m);
  }
}

const everyWay: readonly (readonly string[])[] = [
  ['check', '-'],
  ['check', '-', '--format', 'json'],
  ['check', '-', '--fleet', small],
  ['plan', '-', '--fleet', small],
  ['plan', '-', '--fleet', small, '--format', 'html'],
  ['plan', '-', '--format', 'json'],
];

test(
  'any manifest is judged, planned, audited and tried without a crash, and never steers the terminal',
  async () => {
    await fc.assert(
      fc.asyncProperty(file, async (input) => {
        for (const argv of everyWay) expectSound(argv[0] ?? '', await run(argv, { input }));
        const fleet = join(folder, 'fleet.yaml');
        writeFileSync(fleet, input);
        expectSound('audit', await run(['audit', '--fleet', fleet]));
        expectSound('audit', await run(['audit', '--fleet', fleet, '--format', 'sarif']));
        expectSound('check', await run(['check', 'examples/good', '--fleet', fleet]));
        expectSound('try', await run(['try', '-', '--server', guard.url], { input }));
      }),
      fuzz(40),
    );
    tellCounts('commands on arbitrary manifests, by exit code', counts);
  },
  fuzzTimeout,
);

const sections = Object.keys(configSchema.properties);
const setting = fc.oneof(
  fc.dictionary(
    fc.oneof(fc.constantFrom(...sections), text),
    fc.oneof(
      json,
      fc.dictionary(
        fc.oneof(fc.constantFrom('default', 'rules', 'users', 'footer', ...catalogue.map(({ id }) => id)), text),
        fc.oneof(oneOf('deny', 'warn', 'off', 'auto'), json),
      ),
    ),
    { maxKeys: 3 },
  ),
  json,
);

test(
  'any config is read, or refused line by line',
  async () => {
    const ruleIds = catalogue.map(({ id }) => id);
    const outcomes = { read: 0, refused: 0 };
    const read = (config: string): void => {
      try {
        loadConfig(config, { file: 'config.yaml', ruleIds });
        outcomes.read++;
      } catch (error) {
        expect(error).toBeInstanceOf(GuardError);
        outcomes.refused++;
        const { message } = error as GuardError;
        expect(message).not.toMatch(raw);
        expect(message.split('\n').filter((line) => !line.startsWith('config.yaml:'))).toEqual([]);
      }
    };
    fc.assert(
      fc.property(
        fc.oneof(
          setting.map((value) => stringify(value)),
          fc.string({ unit: 'binary' }),
          text,
        ),
        read,
      ),
      fuzz(300),
    );
    tellCounts('arbitrary configs', outcomes);
    const path = join(folder, 'config.yaml');
    writeFileSync(path, stringify({ rules: { [hostileTexts[0] ?? '']: 'deny' } }));
    expectSound('check', await run(['check', 'examples/good', '--config', path]));
  },
  fuzzTimeout,
);
