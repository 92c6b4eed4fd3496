import type { Condition, FleetObject } from '../fleet/model.js';
import type { DifferingResource, PlacedResource, Reporter } from '../fleet/reports.js';
import { plain, quoted, quotedSentence } from '../fleet/quoted.js';
import type { Evidence } from './diagnosis.js';

/** Whoever has a name: an object of the model, or who reports. */
type Named = FleetObject | Reporter;

export function evidenceOf(object: Named, field: string, value: string): Evidence {
  return { object: identityOf(object), field, value };
}

/** A condition as evidence: `False NotAllWorkAreAvailable: "..."`. */
export function conditionEvidence(object: Named, condition: Condition): Evidence {
  const { type, lastTransitionTime } = condition;
  return {
    object: identityOf(object),
    field: `status.conditions[${plain(type)}]`,
    value: conditionText(condition),
    ...(lastTransitionTime !== undefined && { since: lastTransitionTime }),
  };
}

/** What a work says of one of its resources. */
export function resourceEvidence(object: Reporter, list: string, of: PlacedResource): Evidence {
  const [condition] = of.conditions;
  return {
    object: identityOf(object),
    field: `status.${list}[${resourceName(of)}]`,
    value: condition === undefined ? 'no condition' : `${plain(condition.type)} ${conditionText(condition)}`,
    ...(condition?.lastTransitionTime !== undefined && { since: condition.lastTransitionTime }),
  };
}

/** More fields than these only say that it is another object altogether. */
const mostFields = 3;

/** Where a resource on its cluster differs from what the hub holds. */
export function differenceEvidence(object: Reporter, of: DifferingResource): Evidence {
  const told = of.fields.slice(0, mostFields).map(({ path, onHub, onMember }) => {
    const [hub, member] = [onHub, onMember].map((value) => (value === undefined ? 'nothing' : quoted(value)));
    return `${plain(path)} is ${hub ?? ''} on the hub and ${member ?? ''} on the cluster`;
  });
  const more = of.fields.length > told.length ? [`and ${String(of.fields.length - told.length)} more`] : [];
  return {
    object: identityOf(object),
    field: `status.${of.list}[${resourceName(of)}]`,
    value: [...told, ...more].join('; ') || 'differs',
  };
}

function conditionText({ status, reason = '', message = '' }: Condition): string {
  const head = [status, reason].filter((part) => part !== '').map(plain);
  return `${head.join(' ')}${message === '' ? '' : `: ${quotedSentence(message)}`}`;
}

/** `Deployment app/web` */
export function resourceName({ kind, name, namespace }: PlacedResource): string {
  return `${plain(kind)} ${plain(namespace === undefined ? name : `${namespace}/${name}`)}`;
}

function identityOf(object: Named): Evidence['object'] {
  const isReporter = 'conditions' in object;
  const { name, namespace } = isReporter ? object : object.metadata;
  return { kind: object.kind, namespace, name };
}
