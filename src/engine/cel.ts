import { lossyVersion } from '../fleet/kinds.js';

/*
 * Pieces of CEL, the language in which the API server asks. An expression that fails there is a refusal without a word of
 * ours, and the guard is never asked. So each piece is right for every JSON: a field is read behind has(), and a list or
 * map of the mutating phase, where no schema has been held against it yet, behind type().
 */

/** A condition under which the API server asks: see docs/http.md and docs/floor.md. */
export interface CelCondition {
  readonly name: string;
  /** Over `request`, `object` (null on DELETE) and `oldObject` (null on CREATE). */
  readonly expression: string;
}

/** Stands in an expression for the list of the hub agent's user names; whoever installs it puts it in. */
export const hubAgentUsers = 'HUB_AGENT_USERS';

export const isCreation = "request.operation == 'CREATE'";
export const isUpdate = "request.operation == 'UPDATE'";
export const isThroughAlpha = `request.requestKind.version == '${lossyVersion}'`;

export const notByHubAgent: CelCondition = {
  name: 'not-by-the-hub-agent',
  expression: `!(request.userInfo.username in ${hubAgentUsers})`,
};

/** The value at a path, or `otherwise` where a step of it is missing or holds no fields. */
export function valueAt(root: string, path: readonly string[], otherwise: string): string {
  return `(${isThere(root, path)} ? ${[root, ...path].join('.')} : ${otherwise})`;
}

/** The list at a path; an empty one where there is none. */
export function listAt(root: string, path: readonly string[]): string {
  const value = [root, ...path].join('.');
  return `(${isThere(root, path)} && type(${value}) == list ? ${value} : [])`;
}

function isThere(root: string, path: readonly string[]): string {
  const [first = '', ...rest] = path;
  const step = `${root}.${first}`;
  const here = `has(${step})`;
  return rest.length === 0 ? here : `${here} && type(${step}) == map && ${isThere(step, rest)}`;
}

/** Whether the value at a path is another than the stored one. */
export function differs(path: readonly string[], otherwise: string): string {
  return `${valueAt('object', path, otherwise)} != ${valueAt('oldObject', path, otherwise)}`;
}

/** A text in CEL's own quotes, read letter by letter. */
export function celText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** The conditions of one type. */
function conditionsOf(root: string, type: string): string {
  return `${listAt(root, ['status', 'conditions'])}.filter(c, type(c) == map && has(c.type) && c.type == '${type}')`;
}

export const approvedOf = (root: string): string => conditionsOf(root, 'Approved');
const acceptedOf = (root: string): string => conditionsOf(root, 'ApprovalAccepted');

const wasApproved =
  `${approvedOf('oldObject')}.exists(c, has(c.status) && c.status == 'True' && ` +
  'has(c.observedGeneration) && c.observedGeneration == oldObject.metadata.generation)';
/**
 * The hub agent accepts what it has read as approved, by an update of that very object (updaterun/execution.go
 * updateApprovalRequestAccepted): under no name does it write this.
 */
export const acceptsUnapproved =
  `(${acceptedOf('object')}.size() > 0 && ${acceptedOf('object')} != ${acceptedOf('oldObject')} && ` +
  `!${wasApproved})`;

const stateOf = (root: string): string => valueAt(root, ['spec', 'state'], "'Initialize'");
export const becomesRun = `(${stateOf('object')} == 'Run' && ${stateOf('oldObject')} != 'Run')`;

/** The run that is stored is neither initialized nor over: `phaseOf` calls it pending. */
export const isPending =
  `!has(oldObject.metadata.deletionTimestamp) && !${listAt('oldObject', ['status', 'conditions'])}.exists(c, ` +
  "type(c) == map && has(c.type) && c.type in ['Initialized', 'Succeeded'] && " +
  "has(c.status) && c.status in ['True', 'False'])";
