import { fields, list, oneOf, text, type CelRule, type Schema } from '../schema.js';
import { applyStrategy, kindSchema, labelSelector } from './parts.js';
import { placementStatus } from './placement-status.js';
import { placementPolicy } from './policy.js';

const ofNamespaces = "s.group == '' && s.version == 'v1' && s.kind == 'Namespace'";
const withSelectors = `${ofNamespaces} && s.selectionScope == 'NamespaceWithResourceSelectors'`;

const stays: CelRule = {
  rule: '!has(oldSelf.policy) || has(self.policy)',
  message: 'policy cannot be removed once set',
};

const ofSelectors: readonly CelRule[] = [
  {
    rule: `self.resourceSelectors.filter(s, ${withSelectors}).size() < 2`,
    message: 'only one namespace selector with NamespaceWithResourceSelectors mode is allowed',
  },
  {
    rule:
      `self.resourceSelectors.filter(s, ${withSelectors}).size() == 0 || self.resourceSelectors.filter(s, ` +
      `${withSelectors} && has(s.name) && s.name != '' && !has(s.labelSelector)).size() == 1`,
    message: 'namespace selector with NamespaceWithResourceSelectors mode must select by name (not by label)',
  },
  {
    rule:
      `!self.resourceSelectors.exists(s, ${withSelectors}) || ` +
      `self.resourceSelectors.filter(s, ${ofNamespaces}).size() == 1`,
    message:
      'when using NamespaceWithResourceSelectors mode, only one namespace selector is allowed (cannot mix with other namespace selectors)',
  },
];

const ofReportingScope: readonly CelRule[] = [
  {
    rule:
      "self.statusReportingScope != 'NamespaceAccessible' || " +
      "self.resourceSelectors.filter(s, s.kind == 'Namespace').size() == 1",
    message:
      "when statusReportingScope is NamespaceAccessible, exactly one resourceSelector with kind 'Namespace' is required",
  },
  {
    rule: '!has(oldSelf.statusReportingScope) || self.statusReportingScope == oldSelf.statusReportingScope',
    message: 'statusReportingScope is immutable',
  },
];

const resourceSelectors = list(
  fields({
    'group*': text,
    'version*': text,
    'kind*': text,
    name: text,
    labelSelector,
    selectionScope: oneOf(['NamespaceOnly', 'NamespaceWithResources', 'NamespaceWithResourceSelectors'], {
      default: 'NamespaceWithResources',
    }),
  }),
  {
    minItems: 1,
    maxItems: 100,
    'x-kubernetes-validations': [
      {
        rule: "self.all(s, !has(s.labelSelector) || !has(s.name) || s.name == '')",
        message: 'name and labelSelector are mutually exclusive in a resource selector',
      },
    ],
  },
);

const share: Schema = {
  'x-kubernetes-int-or-string': true,
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  pattern: '^((100|[0-9]{1,2})%|[0-9]+)$',
  default: '25%',
};

const reportBackStrategy = fields(
  {
    'type*': oneOf(['Disabled', 'Mirror'], { default: 'Disabled' }),
    destination: oneOf(['OriginalResource', 'WorkAPI']),
  },
  {
    'x-kubernetes-validations': [
      {
        rule: "self.type != 'Mirror' || size(self.destination) != 0",
        message: "when reportBackStrategy.type is 'Mirror', a destination must be specified",
      },
    ],
  },
);

function strategy(version: string): Schema {
  return fields({
    type: oneOf(['RollingUpdate', 'External'], {
      default: 'RollingUpdate',
      'x-kubernetes-validations': [
        {
          rule: "oldSelf != 'External' || self == 'External'",
          message: "cannot change rollout strategy type from 'External' to other types",
        },
      ],
    }),
    rollingUpdate: fields({
      maxSurge: share,
      maxUnavailable: share,
      unavailablePeriodSeconds: { type: 'integer', minimum: 0, default: 60 },
    }),
    applyStrategy,
    ...(version !== 'v1' && {
      deleteStrategy: fields({ propagationPolicy: oneOf(['Abandon', 'Delete'], { default: 'Delete' }) }),
      reportBackStrategy,
    }),
  });
}

export function placements(version: string, isNamespaced: boolean): Schema {
  const spec = fields(
    {
      'resourceSelectors*': resourceSelectors,
      policy: placementPolicy,
      strategy: strategy(version),
      revisionHistoryLimit: { type: 'integer', format: 'int32', minimum: 1, maximum: 1000, default: 10 },
      statusReportingScope: oneOf(['ClusterScopeOnly', 'NamespaceAccessible'], { default: 'ClusterScopeOnly' }),
    },
    { 'x-kubernetes-validations': [stays, ...ofSelectors, ...(isNamespaced ? [] : ofReportingScope)] },
  );
  return kindSchema({ 'spec*': spec, status: placementStatus(version) });
}
