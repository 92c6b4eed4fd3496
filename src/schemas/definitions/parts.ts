import { dictionary, fields, flag, list, oneOf, text, time, type Schema } from '../schema.js';

/** Parts that several kinds have. */

export const labelSelector: Schema = fields(
  {
    matchLabels: dictionary(text),
    matchExpressions: list(
      fields({ 'key*': text, 'operator*': text, values: list(text, { 'x-kubernetes-list-type': 'atomic' }) }),
      { 'x-kubernetes-list-type': 'atomic' },
    ),
  },
  { 'x-kubernetes-map-type': 'atomic' },
);

export const condition: Schema = fields({
  'type*': {
    type: 'string',
    maxLength: 316,
    pattern:
      '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
  },
  'status*': oneOf(['True', 'False', 'Unknown']),
  observedGeneration: { type: 'integer', format: 'int64', minimum: 0 },
  'lastTransitionTime*': time,
  'reason*': { type: 'string', minLength: 1, maxLength: 1024, pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$' },
  'message*': { type: 'string', maxLength: 32768 },
});

/** At most one of each type. */
export const conditions: Schema = list(condition, {
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
});

export const applyStrategy: Schema = fields({
  type: oneOf(['ClientSideApply', 'ServerSideApply', 'ReportDiff'], { default: 'ClientSideApply' }),
  comparisonOption: oneOf(['PartialComparison', 'FullComparison'], { default: 'PartialComparison' }),
  whenToApply: oneOf(['Always', 'IfNotDrifted'], { default: 'Always' }),
  whenToTakeOver: oneOf(['Always', 'IfNoDiff', 'Never'], { default: 'Always' }),
  allowCoOwnership: flag,
  serverSideApplyConfig: fields({ force: flag }),
});

export const resourceOverrides: Schema = list(fields({ 'name*': text, 'namespace*': text }));

/** The frame of every kind. */
export function kindSchema(
  parts: Readonly<Record<string, Schema>>,
  more: Pick<Schema, 'x-kubernetes-validations'> = {},
): Schema {
  return fields({ apiVersion: text, kind: text, metadata: { type: 'object' }, ...parts }, more);
}

/** A name that becomes the value of a label. */
export function nameUpTo(longest: number): Pick<Schema, 'x-kubernetes-validations'> {
  const rule = `size(self.metadata.name) <= ${String(longest)}`;
  return { 'x-kubernetes-validations': [{ rule, message: `metadata.name max length is ${String(longest)}` }] };
}
