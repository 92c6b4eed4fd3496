import { expect, test } from '@jest/globals';
import { floorObjects } from '../../../src/floor/objects.js';
import { floorPolicies, type FloorPolicy } from '../../../src/floor/policy.js';
import { catalogue } from '../../../src/rules/index.js';
import type { Json } from '../harness/api.js';
import { eventually } from '../harness/eventually.js';
import { expectStored } from '../harness/hub.js';
import { useHub } from '../harness/use-hub.js';
import { alone, pathOfKind } from './installed.js';

/*
 * The controller manager holds the expressions of a policy against the definitions, and notes what does not fit. Of a
 * subresource it knows no types, so copies name the resource itself.
 */

const hub = useHub({ withControllers: true });
const guard = { namespace: 'fleet-stageguard', serviceAccount: 'stageguard' };

function ofMainResource(policy: FloorPolicy): FloorPolicy {
  const resources = policy.resources.map((rule) => ({
    ...rule,
    resources: rule.resources.map((resource) => resource.replace('/status', '')),
  }));
  return { ...policy, resources };
}

const policies = floorPolicies(catalogue).map(ofMainResource);
const [first] = policies;

/** What the controller notes about a policy: undefined where it finds nothing. */
async function warningsAbout(policy: FloorPolicy): Promise<unknown> {
  const [object] = floorObjects([policy], { ...alone, guard });
  if (object === undefined) throw new Error('no policy');
  const path = pathOfKind.ValidatingAdmissionPolicy;
  expectStored(await hub().api('admin').create(path, object));
  const status = await eventually('it is checked', async () => {
    const { body } = await hub().api('admin').get(`${path}/${object.metadata.name}`);
    const { typeChecking, observedGeneration } = (body['status'] ?? {}) as Json;
    return observedGeneration === undefined ? undefined : { typeChecking: (typeChecking ?? {}) as Json };
  });
  return status.typeChecking['expressionWarnings'];
}

test.each(policies.map((policy) => [policy.rule, policy] as const))(
  '%s fits the definitions',
  async (_rule, policy) => {
    expect(await warningsAbout(policy)).toBeUndefined();
  },
);

test('an expression that does not fit is noted', async () => {
  if (first === undefined) throw new Error('no policy');
  const [validation] = first.validations;
  if (validation === undefined) throw new Error('no validation');
  const validations = [{ ...validation, expression: 'object.spec.nonsense == 1' }];
  const warnings = await warningsAbout({ ...first, rule: 'nonsense', validations });
  expect(JSON.stringify(warnings)).toContain("undefined field 'nonsense'");
});
