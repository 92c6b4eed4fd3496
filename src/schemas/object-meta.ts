import { dictionary, fields, flag, int64, list, text, time, type Schema } from './schema.js';

/** The metadata of every object; Kubernetes knows it itself, so that no definition of a kind names its fields. */
export const objectMeta: Schema = fields({
  name: text,
  generateName: text,
  namespace: text,
  selfLink: text,
  uid: text,
  resourceVersion: text,
  generation: int64,
  creationTimestamp: time,
  deletionTimestamp: time,
  deletionGracePeriodSeconds: int64,
  labels: dictionary(text),
  annotations: dictionary(text),
  finalizers: list(text),
  ownerReferences: list(
    fields({ apiVersion: text, kind: text, name: text, uid: text, controller: flag, blockOwnerDeletion: flag }),
  ),
  managedFields: list(
    fields({
      manager: text,
      operation: text,
      apiVersion: text,
      time,
      fieldsType: text,
      fieldsV1: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      subresource: text,
    }),
  ),
});
