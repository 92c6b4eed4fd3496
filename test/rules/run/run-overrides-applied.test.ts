import rule from '../../../src/rules/run/run-overrides-applied.js';
import { creation, lateStart, overrideSnapshot, placement, run, start, type Draft } from '../../support/builders.js';
import { testRule, type Expected } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';

const release = run('release');
const here = { name: 'shop', scope: 'Namespaced' };
const override = (name: string, of: Readonly<Record<string, string>> = here, isLatest = true): Draft =>
  overrideSnapshot(isLatest, { name, placement: of });

/** In a namespace; an override of cluster scope is never for a placement in one. */
const inNamespace =
  (message: string) =>
  ({ namespace }: Scope): readonly Expected[] =>
    namespace === undefined ? [] : [{ path: 'spec.placementName', message, fix: rule.fix }];

testRule(rule, {
  accepts: {
    'no override': { change: creation(release), fleet: [placement()] },
    'an override for every placement': {
      change: creation(release),
      fleet: [placement(), overrideSnapshot(true, { name: 'replicas-0' })],
    },
    'an override for another placement': {
      change: creation(release),
      fleet: [placement(), override('replicas-0', { ...here, name: 'other' })],
    },
    'an override for a placement of cluster scope': {
      change: creation(release),
      fleet: [
        placement(),
        override('replicas-0', { name: 'shop', scope: 'Cluster' }),
        override('a-0', { name: 'shop' }),
      ],
    },
    'an override that is no longer so': {
      change: creation(release),
      fleet: [placement(), override('replicas-0', here, false)],
    },
    'the start of a run that is initialized': {
      change: lateStart(release),
      fleet: [placement(), override('replicas-0')],
    },
    'what cannot be known': { change: creation(release), knowledge: 'partial' },
  },
  rejects: {
    'an override for this placement': {
      change: creation(release),
      fleet: [placement(), override('replicas-2'), override('replicas-1', here, false)],
      findings: inNamespace(
        'KubeFleet passes over 1 ResourceOverride that is for this placement alone: "replicas"; the clusters get the resources without',
      ),
    },
    'several of them, when a run is started that is not initialized yet': {
      change: start(release),
      fleet: [placement(), override('replicas-0'), override('image-11')],
      findings: inNamespace(
        'KubeFleet passes over 2 ResourceOverrides that are for this placement alone: "image" and "replicas"; the clusters get the resources without',
      ),
    },
  },
});
