import { differs, isThroughAlpha } from '../../engine/cel.js';
import { agentNameHint, isHubAgent } from '../../engine/policy.js';
import { defineRule } from '../../engine/rule.js';
import { sameJson } from '../../fleet/json.js';
import { lossyVersion } from '../../fleet/kinds.js';
import { plain, quoted } from '../../fleet/quoted.js';

const unconfirmedFix = `Leave the status alone. ${agentNameHint}`;

export default defineRule({
  id: 'run-status-owner',
  title: 'Only the hub agent writes the status of a run',
  severity: 'deny',
  appliesTo: [{ family: 'UpdateRun', operations: ['UPDATE'], subresource: 'status' }],
  reads: [],
  judges: 'write',
  why: 'KubeFleet keeps its place in a rollout in the status of the run and aborts the run for ever when what it finds there does not add up.',
  fix: 'Leave the status alone: to stop the run, set spec.state to Stop; to start over, create a new run.',

  floor: {
    kind: 'gate',
    validations: [
      {
        // What a write through v1alpha1 drops of the status is missing in both objects.
        expression: `!(${isThroughAlpha} || ${differs(['status'], 'null')})`,
        message:
          'only the hub agent writes the status of a run. To stop the run, set spec.state to Stop; to start over, create a new run.',
      },
    ],
  },

  *check({ object, oldObject, user, statusDiffers, requestVersion }, { policy }) {
    const isTouched = requestVersion === lossyVersion || (statusDiffers ?? !sameJson(object.status, oldObject.status));
    if (isHubAgent(policy, user) || !isTouched) return;
    yield {
      path: ['status'],
      message: `user ${quoted(user)} changes the status of the run, which only the hub agent (${policy.hubAgent.users.map(plain).join(', ')}) may write`,
      // Under another name than configured the hub agent itself would be refused, and every rollout would stand still.
      ...(policy.hubAgent.confirmed ? {} : ({ atMost: 'warn', fix: unconfirmedFix } as const)),
    };
  },
});
