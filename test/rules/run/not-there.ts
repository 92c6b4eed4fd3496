import type { Family } from '../../../src/fleet/kinds.js';
import type { Expected } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';

interface NotThere {
  readonly name: string;
  readonly path: string;
  readonly severity?: 'deny' | 'warn' | undefined;
}

/** What is said of a run that names an object which does not exist. */
export function notThere(family: Family, { name, path, severity = 'deny' }: NotThere) {
  return ({ kind, plural, flag, namespace }: Scope): readonly Expected[] => {
    const where = namespace === undefined ? '' : ` in namespace "${namespace}"`;
    return [
      {
        path,
        severity,
        message: `${kind(family)} "${name}" does not exist${where}`,
        fix: [
          `First create ${kind(family)} "${name}"${where}, then try again.`,
          `kubectl get ${plural(family)}${flag}`,
          '# If one tool applies both, make the run come last: kustomize with "sortOptions: {order: fifo}", Flux with a second',
          '# Kustomization that has dependsOn, Argo CD with a later sync wave, Helm with a post-install,post-upgrade hook.',
        ].join('\n'),
      },
    ];
  };
}
