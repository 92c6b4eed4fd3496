import { evaluate, type World } from '../engine/evaluate.js';
import { modeOf } from '../engine/policy.js';
import type { Entry, StoredRule } from '../engine/rule.js';
import { changeOf, creationOf, type Change } from '../engine/change.js';
import type { Finding, Verdict } from '../engine/verdict.js';
import { Facts, UnknownFact } from '../fleet/facts.js';
import { kindIn, scopeOf, type Family } from '../fleet/kinds.js';
import type { ApprovalRequest, Families, UpdateRun } from '../fleet/model.js';
import { isActive, isInitialized, isOver } from '../fleet/run.js';
import type { FleetState, ObjectKey } from '../fleet/state.js';
import { approvalRules, runRules } from './audit-findings.js';
import runFrozen from './run/run-frozen.js';
import runRollsBack from './run/run-rolls-back.js';

/** A fleet of which everything can be named. */
export interface WholeFleet extends FleetState {
  all<F extends Family>(family: F): readonly Families[F][];
}

/** What is judged of a fleet, and how often: for progress. */
export interface Audited {
  readonly verdict: Verdict;
  readonly done: number;
  readonly total: number;
}

/**
 * Judges what is stored, by the rules that judge what is written: a strategy as if it were created now, a run that is not
 * initialized likewise, any other run as if it were started now. What no write could be refused for is added.
 */
export function* audit(fleet: WholeFleet, given: Omit<World, 'fleet'>): Generator<Audited, void, undefined> {
  // What is stored was started, or is not: when that may be done is no question to it.
  const world = { ...given, rules: given.rules.filter(({ id }) => id !== runFrozen.id) };
  const runs = fleet.all('UpdateRun').filter((run) => !isOver(run));
  const strategies = fleet.all('UpdateStrategy');
  const creations = strategies.map((object) => creationOf(identityOf('UpdateStrategy', object), object));
  const changes = [...creations, ...runs.map(changeOfRun)];
  const approvals = fleet.all('ApprovalRequest');
  const total = changes.length + approvals.length;
  let done = 0;
  const active = new Set(runs.filter(isActive).map(({ metadata }) => keyOf(metadata)));
  const ofActive = world.rules.filter(({ id }) => id !== runRollsBack.id);
  for (const change of changes) {
    // Where an active run takes its clusters is what it was started for.
    const rules = change.family === 'UpdateRun' && active.has(keyOf(change)) ? ofActive : world.rules;
    const verdict = evaluate(change, { ...world, rules, fleet });
    const isNew = change.family === 'UpdateRun' && change.operation === 'CREATE';
    const more = isNew ? storedFindings(runRules, change.object, { ...world, fleet }) : [];
    yield { verdict: { ...verdict, findings: [...verdict.findings, ...more] }, done: ++done, total };
  }
  for (const approval of approvals) yield { verdict: verdictOf(approval, { ...world, fleet }), done: ++done, total };
}

function keyOf({ name, namespace }: ObjectKey): string {
  return `${namespace ?? ''}/${name}`;
}

/** Placements whose bindings an audit asks for. */
export function placementsToBind(
  fleet: Pick<WholeFleet, 'all'>,
): readonly { readonly placement: string; readonly namespace: string | undefined }[] {
  const open = fleet.all('UpdateRun').filter((run) => !isOver(run));
  const named = open.map(({ spec, metadata }) => ({
    placement: spec.placementName,
    namespace: scopeOf('Binding', metadata.namespace),
  }));
  return [...new Map(named.map((one) => [JSON.stringify(one), one])).values()];
}

function identityOf<F extends Family>(family: F, { metadata: { name, namespace } }: Families[F]) {
  return { family, name, namespace };
}

function changeOfRun(run: UpdateRun): Change<'UpdateRun'> {
  return isInitialized(run) ? startOf(run) : createdNow(run);
}

/** A stored run as if it were created now. */
export function createdNow(run: UpdateRun): Change<'UpdateRun'> {
  return creationOf(identityOf('UpdateRun', run), run);
}

/** A stored run as if it were started now. */
export function startOf(run: UpdateRun): Change<'UpdateRun'> {
  const identity = identityOf('UpdateRun', run);
  const inState = (state: 'Initialize' | 'Run'): UpdateRun => ({ ...run, spec: { ...run.spec, state } });
  return changeOf(identity, { object: inState('Run'), oldObject: inState('Initialize') });
}

function verdictOf(approval: ApprovalRequest, world: World): Verdict {
  const { name, namespace } = approval.metadata;
  return {
    subject: { kind: kindIn('ApprovalRequest', namespace).kind, namespace, name },
    findings: storedFindings(approvalRules, approval, world),
    failures: [],
    undetermined: [],
  };
}

function storedFindings<F extends Family>(
  rules: readonly StoredRule<F>[],
  object: Families[F],
  { fleet, policy, now }: World,
): readonly Finding[] {
  const { namespace } = object.metadata;
  const context = { facts: new Facts(fleet, namespace), now };
  return rules.flatMap((rule) => {
    const mode = modeOf(policy, rule, namespace);
    if (mode === 'off') return [];
    try {
      return [...rule.check(object, context)].map(({ path, message, fix = rule.fix }) => ({
        ...{ rule: rule.id, severity: mode, outcome: 'violated', retry: false, path, message, fix },
      }));
    } catch (error) {
      if (!(error instanceof UnknownFact)) throw error;
      return [unknown(rule, error)];
    }
  });
}

/** Of a fleet that could not be read in full, what is not there may stand in the part that is missing. */
function unknown(rule: Pick<Entry, 'id'>, { message }: UnknownFact): Finding {
  return {
    rule: rule.id,
    severity: 'audit',
    outcome: 'undetermined',
    retry: false,
    path: [],
    message: `could not be checked: ${message}`,
    fix: 'Check it against the whole fleet.',
  };
}
