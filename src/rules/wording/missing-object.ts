import type { Facts } from '../../fleet/facts.js';
import { isObjectName, kindIn, type Family } from '../../fleet/kinds.js';
import { kubectl } from './commands.js';
import { didYouMean } from './did-you-mean.js';
import { fixWith } from '../../engine/message.js';
import { quoted } from '../../fleet/quoted.js';

/** What a run says that it needs. */
export interface Need {
  readonly family: Family;
  readonly name: string;
}

/**
 * Kustomize, Helm and Flux sort kinds by name, Argo CD sorts objects by name, and Flux stops at the first refusal: a run
 * that is applied together with what it names often comes first.
 */
export const runsLastHint: readonly string[] = [
  '# If one tool applies both, make the run come last: kustomize with "sortOptions: {order: fifo}", Flux with a second',
  '# Kustomization that has dependsOn, Argo CD with a later sync wave, Helm with a post-install,post-upgrade hook.',
];

/** What to tell whoever sent a run that names something which is not there. */
export function missingText(need: Need, facts: Facts): { readonly message: string; readonly fix: string } {
  const { kind } = kindIn(need.family, facts.namespace);
  const list = kubectl('get', { family: need.family, namespace: facts.namespace });
  if (need.name === '') {
    return { message: `is empty, but must name a ${kind}`, fix: fixWith('Name one of these.', list) };
  }
  if (!isObjectName(need.name)) return impossibleText(need, facts);
  const where = facts.namespace === undefined ? '' : ` in namespace ${quoted(facts.namespace)}`;
  const missing = `${kind} ${quoted(need.name)} does not exist${where}${nearestName(need, facts)}`;
  const create = `create ${kind} ${quoted(need.name)}${where}`;
  const twin = clusterTwin(need, facts);
  if (twin !== undefined) {
    const runs = { here: kindIn('UpdateRun', facts.namespace).kind, there: kindIn('UpdateRun', undefined).kind };
    return {
      message: `${missing}; there is a ${twin} ${quoted(need.name)}, but a ${runs.here} can only use what is in its own namespace`,
      fix: fixWith(`Make the run a ${runs.there}, or ${create} first and try again.`, list, ...runsLastHint),
    };
  }
  return { message: missing, fix: fixWith(`First ${create}, then try again.`, list, ...runsLastHint) };
}

/** Known without a hub: nothing can have such a name. */
function impossibleText(need: Need, facts: Facts): ReturnType<typeof missingText> {
  const { kind } = kindIn(need.family, facts.namespace);
  const variable = /\$|\{\{/.test(need.name) ? '; a variable is to be filled in first' : nearestName(need, facts);
  return {
    message: `${quoted(need.name)} is no name that a ${kind} can have${variable}`,
    fix: fixWith('Name one of these.', kubectl('get', { family: need.family, namespace: facts.namespace })),
  };
}

/** A hub can have thousands of names, and long ones; this many of this length are compared within milliseconds. */
const mostCompared = 300;
const longestCompared = 63;

function nearestName({ family, name }: Need, facts: Facts): string {
  if (name.length > longestCompared) return '';
  const known = facts.some(family).slice(0, mostCompared);
  return didYouMean(
    name,
    known.map(({ metadata }) => metadata.name),
  );
}

/** The kind of an object of that name in cluster scope, seen from a namespace. */
function clusterTwin({ family, name }: Need, facts: Facts): string | undefined {
  if (facts.namespace === undefined) return undefined;
  const twins = facts.in(undefined).some(family);
  return twins.find(({ metadata }) => metadata.name === name)?.kind;
}
