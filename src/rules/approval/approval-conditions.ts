import { setApproved } from '../../engine/commands.js';
import { didYouMean } from '../../engine/did-you-mean.js';
import { fixWith } from '../../engine/message.js';
import { agentNameHint, isHubAgent } from '../../engine/policy.js';
import { defineRule } from '../../engine/rule.js';
import { sameJson } from '../../fleet/json.js';

const known: readonly string[] = ['Approved', 'ApprovalAccepted'];

/** Of hundreds, the first tell enough. */
const mostTold = 10;

export default defineRule({
  id: 'approval-conditions',
  title: 'People set the condition Approved, and no other',
  severity: 'deny',
  appliesTo: [{ family: 'ApprovalRequest', operations: ['UPDATE'], subresource: 'status' }],
  reads: [],
  judges: 'write',
  why:
    'KubeFleet reads the condition Approved, letter by letter, and passes over all others without a word. With the ' +
    'condition ApprovalAccepted it notes that it has seen an approval; who writes it opens the gate without one.',
  fix: 'Set the condition Approved.',

  *check({ object, oldObject, name, namespace, user }, { policy }) {
    if (isHubAgent(policy, user)) return;
    const fix = fixWith('To approve, set the condition Approved.', setApproved(name, namespace));
    const stored = new Map(oldObject.status.conditions.map((condition) => [condition.type, condition]));
    // What was there before may be left or taken away by anybody, so that it can be cleaned up.
    const written = object.status.conditions
      .map((condition, index) => ({ condition, path: ['status', 'conditions', index, 'type'] }))
      .filter(({ condition }) => !sameJson(condition, stored.get(condition.type)));
    const forged = written.find(({ condition }) => condition.type === 'ApprovalAccepted');
    if (forged !== undefined) {
      yield {
        path: forged.path,
        message: `with the condition ApprovalAccepted only KubeFleet notes that it has seen an approval; user "${user}" may not write it`,
        fix,
        ...(policy.hubAgent.confirmed ? {} : ({ atMost: 'warn', fix: `${agentNameHint} ${fix}` } as const)),
      };
    }
    const unknown = written.filter(({ condition: { type } }) => !known.includes(type) && !stored.has(type));
    for (const { condition, path } of unknown.slice(0, mostTold)) {
      const hint = didYouMean(condition.type, ['Approved']);
      yield { path, message: `KubeFleet knows no condition "${condition.type}" and passes over it${hint}`, fix };
    }
  },
});
