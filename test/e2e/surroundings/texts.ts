import { commandsOf, refusalOf } from '../fixes/refusal.js';
import type { Ran } from '../harness/kubectl.js';
import type { Site } from './site.js';

/** What kubectl prints of a write that went through, word for word. */
export function admitted(text: string, ...warnings: readonly string[]): Ran {
  return { code: 0, stdout: `${text}\n`, stderr: warnings.map((warning) => `Warning: ${warning}\n`).join('') };
}

/** What kubectl prints of a refusal, word for word. */
function refused(hook: string, ...lines: readonly string[]): Ran {
  const head = `Error from server (Forbidden): admission webhook "${hook}.stageguard.io" denied the request: `;
  return { code: 1, stdout: '', stderr: `${head}${lines.join('\n')}\n` };
}

export const atGate = 'waiting for an approval in stage "canary", 1 of 3 clusters updated';
export const notStarted = 'initialized but not started, 0 of 3 clusters updated';

/** The warnings about `release` and `prepared` in both scopes: those under way first, each with its placement. */
export function lostRuns(
  sites: readonly Site[],
  why: (placement: string) => string,
  { isJoin = false } = {},
): readonly string[] {
  // Whether its namespace is on a new cluster, which a namespaced placement asks for, nobody knows.
  const isUnsure = ({ scope }: Site): boolean => isJoin && scope !== undefined;
  return [
    ...sites.map(
      (site) =>
        `[member-cluster-in-use] active run "${site.named('release')}" ${isUnsure(site) ? 'may' : 'would'} be aborted for good (let it finish first if you can): ${why('shop')}; the run is ${atGate}`,
    ),
    ...sites.map(
      (site) =>
        `[member-cluster-in-use] run "${site.named('prepared')}" ${isUnsure(site) ? 'may fail when it is started' : 'could not be started any more'} (create a new run afterwards): ${why('blog')}; the run is ${notStarted}`,
    ),
  ];
}

const aborts = `run "release" (${atGate}) would be aborted for good: `;

/** The refusal of an edit of `shop`, with the way out. */
export function editRefused(site: Site, path: string, why: string): Ran {
  const [runs, placements] = [site.plural('UpdateRun'), site.plural('Placement')];
  return refused(
    'placements.validate',
    `refused by 1 rule: ${site.kind('Placement')} ${site.named('shop')}`,
    `[placement-in-use] ${path}: ${aborts}${why}`,
    '  Fix: Let the run finish, then make this change. Or give the run up: delete it (nothing is rolled back), then make this change.',
    `    kubectl wait ${runs} release${site.flag} '--for=jsonpath={.status.conditions[?(@.type=="Succeeded")].status}' --timeout=4h`,
    `    # or: kubectl delete ${runs} release${site.flag}`,
    '    # A new run can be created when the placement is scheduled again:',
    `    # kubectl wait ${placements} shop${site.flag} --for=condition=${site.kind('Placement')}Scheduled --timeout=60s`,
  );
}

/** The refusal of the deletion of `shop`. */
export function deletionRefused(site: Site): Ran {
  const runs = site.plural('UpdateRun');
  return refused(
    'deletions.validate',
    `refused by 1 rule: ${site.kind('Placement')} ${site.named('shop')}`,
    `[placement-in-use] ${aborts}the placement would be gone`,
    '  Fix: Let the run finish, then delete the placement. Or give the run up: delete it (nothing is rolled back), then delete the placement.',
    `    kubectl wait ${runs} release${site.flag} '--for=jsonpath={.status.conditions[?(@.type=="Succeeded")].status}' --timeout=4h`,
    `    # or: kubectl delete ${runs} release${site.flag}`,
  );
}

/** The commands that placement-in-use printed. */
export function commandsIn(output: string): readonly string[] {
  const refusal = refusalOf('placement-in-use', output);
  return refusal === undefined ? [] : commandsOf(refusal);
}
