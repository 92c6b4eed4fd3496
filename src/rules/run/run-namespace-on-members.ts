import { longestRunName, shortenRunName, yamlText } from '../wording/manifest.js';
import { fixWith } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import { kindIn, storageVersion } from '../../fleet/kinds.js';
import type { ResourceSelector } from '../../fleet/model.js';
import { quoted } from '../../fleet/quoted.js';
import { initializations } from '../targets.js';

export default defineRule({
  id: 'run-namespace-on-members',
  title: 'The namespace of a run exists on the member clusters',
  severity: 'warn',
  appliesTo: initializations,
  after: ['run-placement-exists'],
  reads: ['Placement'],
  why: 'A namespaced placement does not take its namespace along. Where no cluster-scoped placement does, nothing can be applied on the members and the run gets stuck.',
  fix: 'Place the namespace on the member clusters first.',

  *check({ namespace }, { facts }) {
    if (namespace === undefined) return;
    const selectors = facts
      .in(undefined)
      .list('Placement')
      .flatMap(({ spec }) => spec.resourceSelectors);
    if (selectors.some((selector) => maySelect(selector, namespace))) return;
    yield {
      path: ['metadata', 'namespace'],
      message: `no cluster-scoped placement selects namespace ${quoted(namespace)}, so it may not exist on the member clusters`,
      fix: fixWith('Place the namespace on the member clusters first, for instance with this.', ...manifest(namespace)),
    };
  },
});

/** Without a name a selector picks by labels or picks all; the labels of namespaces are not read. */
function maySelect({ group, kind, name = '' }: ResourceSelector, namespace: string): boolean {
  return group === '' && kind === 'Namespace' && (name === '' || name === namespace);
}

/** KubeFleet allows a placement as many characters as a run. */
const suffix = '-namespace';

function manifest(namespace: string): readonly string[] {
  const kind = kindIn('Placement', undefined);
  return [
    `apiVersion: ${kind.group}/${storageVersion}`,
    `kind: ${kind.kind}`,
    'metadata:',
    `  name: ${yamlText(`${shortenRunName(namespace, longestRunName - suffix.length)}${suffix}`)}`,
    'spec:',
    '  resourceSelectors:',
    '    - group: ""',
    '      version: v1',
    '      kind: Namespace',
    `      name: ${yamlText(namespace)}`,
    '      selectionScope: NamespaceOnly',
    '  policy:',
    '    placementType: PickAll',
  ];
}
