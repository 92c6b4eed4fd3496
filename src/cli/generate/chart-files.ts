import { stringify } from 'yaml';
import { storageVersion } from '../../fleet/kinds.js';
import { hooks, type Hook, type HookResource } from '../../http/hooks.js';
import { accessForArming, armedRules } from '../../hub/arming-access.js';
import {
  accessForCertificates,
  accessToFleet,
  accessToHubAgent,
  accessToHubAgentImage,
  accessToNamespaces,
  ownAccess,
  type AccessRole,
} from '../../hub/rights.js';
import { floorPolicies } from '../../floor/policy.js';
import { catalogue } from '../../rules/index.js';
import { valuesSchema } from './chart-values.js';
import { alertRules } from './monitoring/alert-rules.js';
import { dashboard } from './monitoring/dashboard.js';

const header = '# Written by `npm run docs`. Do not edit.\n';

/** What the chart takes from the code: the hooks, the floor, the rights that the guard needs, and what its settings may be. */
export function chartFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['charts/stageguard/files/hooks.yaml', hooksFile()],
    ['charts/stageguard/files/access.yaml', accessFile()],
    ['charts/stageguard/files/floor.yaml', yaml({ policies: floorPolicies(catalogue) })],
    ['charts/stageguard/files/alerts.yaml', yaml({ rules: alertRules() })],
    ['charts/stageguard/files/dashboard.json', json(dashboard())],
    ['charts/stageguard/values.schema.json', json(valuesSchema())],
  ]);
}

function hooksFile(): string {
  const ofPhase = (phase: Hook['phase']) => hooks.filter((hook) => hook.phase === phase).map(webhookOf);
  return yaml({ validate: ofPhase('validate'), mutate: ofPhase('mutate') });
}

function webhookOf(hook: Hook): object {
  const { name, failurePolicy, timeoutSeconds, sideEffects, matchConditions } = hook;
  return {
    name,
    failurePolicy,
    timeoutSeconds,
    sideEffects,
    admissionReviewVersions: ['v1'],
    // A write through any other version is turned into this one, and says so in requestKind.
    matchPolicy: 'Equivalent',
    rules: rulesOf(hook),
    ...(matchConditions.length > 0 && { matchConditions }),
  };
}

/** Resources of one group that are matched on the same operations share a rule. */
function rulesOf({ resources }: Hook): readonly object[] {
  const alike = new Map<string, HookResource[]>();
  for (const resource of resources) {
    const key = `${resource.group} ${resource.operations.join()}`;
    alike.set(key, [...(alike.get(key) ?? []), resource]);
  }
  return [...alike.values()].map((same) => ({
    apiGroups: [...new Set(same.map(({ group }) => group))],
    apiVersions: [storageVersion],
    resources: same.map(({ plural, subresource }) => (subresource === undefined ? plural : `${plural}/${subresource}`)),
    operations: same[0]?.operations,
  }));
}

/** The template puts the names in where these stand. */
const namespace = 'OWN_NAMESPACE';
const name = 'RELEASE';

function accessFile(): string {
  return yaml({
    fleet: { rules: accessToFleet() },
    hubAgent: { rules: accessToHubAgent('HUB_AGENT') },
    hubAgentImage: { rules: accessToHubAgentImage('HUB_AGENT_DEPLOYMENT') },
    namespaceLabels: { rules: accessToNamespaces },
    own: byScope([{ namespace, rules: ownAccess }]),
    watchCertificates: byScope(accessForCertificates({ configuration: name })),
    makeCertificates: byScope(
      accessForCertificates({ configuration: name, secret: { namespace, name: 'TLS_SECRET' } }),
    ),
    arming: byScope(accessForArming({ namespace, deployment: name, role: 'ARMED_ROLE' })),
    armed: { rules: armedRules },
  });
}

function byScope(roles: readonly AccessRole[]): object {
  const rulesOf = (isNamespaced: boolean) =>
    roles.filter((role) => (role.namespace !== undefined) === isNamespaced).flatMap(({ rules }) => rules);
  return { cluster: rulesOf(false), namespaced: rulesOf(true) };
}

function yaml(value: unknown): string {
  return header + stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
