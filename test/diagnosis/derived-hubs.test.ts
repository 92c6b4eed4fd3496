import { describe, expect, test } from '@jest/globals';
import { isCommand } from '../../src/rules/wording/commands.js';
import { clusterStates } from '../support/derived-hubs/clusters.js';
import { endStates } from '../support/derived-hubs/ends.js';
import { gateStates } from '../support/derived-hubs/gates.js';
import { idleStates } from '../support/derived-hubs/idle.js';
import { checkDiagnosis, type Derived } from '../support/diagnosis-table.js';
import { HubEdits } from '../support/hub-edits.js';
import { diagnosisOf, hubNamed, inNamespace, type Hub } from '../support/hubs.js';

const derived: readonly (readonly [string, Derived])[] = [clusterStates, gateStates, endStates, idleStates].flatMap(
  (table) => Object.entries(table),
);

describe.each(derived)('%s', (name, { from, edit, at, also, never, ...expected }) => {
  const hub = hubNamed(from);
  const scopes: readonly (readonly [string, Hub])[] = [
    ['in cluster scope', hub],
    ['in a namespace', inNamespace(hub)],
  ];
  test.each(scopes)('%s', (_, recorded) => {
    const edits = new HubEdits(recorded);
    edit(edits);
    const found = diagnosisOf(edits.done(name), Date.parse(at ?? recorded.recordedAt));
    checkDiagnosis(found, expected);
    const told = found.causes.map(({ what }) => what).join('\n');
    if (also !== undefined) expect(told).toMatch(also);
    if (never !== undefined) expect(told).not.toMatch(never);
    const scope = recorded.namespace === undefined ? /clusterresource|clusterstaged|clusterapproval/ : /-n team-a/;
    const commands = found.causes.flatMap(({ fix }) => fix.split('\n').slice(1)).filter(isCommand);
    for (const line of commands)
      if (/^kubectl .*(?:staged|approval|resourceplacement)/.test(line)) expect(line).toMatch(scope);
  });
});
