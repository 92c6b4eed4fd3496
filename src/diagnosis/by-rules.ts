import type { Change } from '../engine/change.js';
import { evaluate } from '../engine/evaluate.js';
import { defaultPolicy, type Policy } from '../engine/policy.js';
import { fieldOf } from '../fleet/json.js';
import { formatPath, type Path } from '../fleet/path.js';
import { quoted } from '../fleet/quoted.js';
import type { UpdateRun } from '../fleet/model.js';
import { createdNow, startOf } from '../rules/audit.js';
import { placementFreeRule } from '../rules/wording/conflict.js';
import type { Cause } from './diagnosis.js';
import { evidenceOf } from './evidence.js';
import type { Scene } from './scene.js';

/** What the rules that judge writes hold against a run, and what they could not judge. */
export interface ByRules {
  readonly causes: readonly Cause[];
  readonly unseen: readonly string[];
}

/** What KubeFleet holds against a run when it initializes it: the run is judged as if it were created now. */
export function asCreated({ status: _status, ...run }: UpdateRun, scene: Scene): ByRules {
  const fresh: UpdateRun = { ...run, status: { conditions: [] } };
  return judged(createdNow(fresh), { ...scene, without: [placementFreeRule] });
}

/** What KubeFleet holds against a run when it looks at it again, or when it is started: whatever its end has been. */
export function asStarted(run: UpdateRun, scene: Scene, without: readonly string[] = []): ByRules {
  const conditions = run.status.conditions.filter(({ type }) => type === 'Initialized');
  return judged(startOf({ ...run, status: { ...run.status, conditions } }), { ...scene, without });
}

type Judging = Scene & { readonly without: readonly string[] };

/** By the rules as they are made: what an operator has softened still ends a run. */
function judged(change: Change, { rules, policy, fleet, now, run, without }: Judging): ByRules {
  const strict: Policy = {
    ...defaultPolicy,
    kubefleet: policy.kubefleet,
    undetermined: { default: 'note', rules: {} },
  };
  const asked = rules.filter(({ id }) => !without.includes(id));
  if (asked.length === 0) return { causes: [], unseen: [] };
  const { findings } = evaluate(change, { rules: asked, policy: strict, fleet, now });
  const refusals = findings.filter(({ severity, outcome }) => severity === 'deny' && outcome === 'violated');
  return {
    causes: refusals.map(({ rule, path, message, fix }) => ({
      rule,
      what: message,
      evidence: [evidenceOf(run, formatPath(path) || 'metadata.name', valueAt(run, path))],
      fix,
    })),
    unseen: findings
      .filter(({ outcome }) => outcome === 'undetermined')
      .map(({ message }) => message.replace(/^could not be checked: cannot know /, '')),
  };
}

/** What stands in a field of the run; the rest is in the words of the rule. */
function valueAt(run: UpdateRun, path: Path): string {
  const value = path.reduce<unknown>((inside, step) => fieldOf(inside, String(step)), run);
  return typeof value === 'string' ? quoted(value) : quoted(run.metadata.name);
}
