import { decodeReview, type Review } from '../../http/admission-review.js';
import { hookFor, type Hook } from '../../http/hooks.js';
import { fieldOf, isObject } from '../../fleet/json.js';
import { admitted, refused, uncalled, type AsKubectl } from './as-kubectl.js';
import { askGuard, type GuardAddress } from './guard-client.js';
import { validatingPhase } from './review-of.js';

type Json = Readonly<Record<string, unknown>>;

export interface SendOptions {
  readonly file: string;
  readonly address: GuardAddress;
}

/** Takes a review through both phases of admission, as the API server would, and says what kubectl would say. */
export async function sendReview(review: Json, { file, address }: SendOptions): Promise<AsKubectl> {
  const decoded = decodeReview(review);
  const warnings: string[] = [];
  let current = review;
  for (const phase of ['mutate', 'validate'] as const) {
    const hook = decoded.subject === undefined ? undefined : hookFor(decoded.subject.change, phase);
    if (phase === 'validate') current = validatingPhase(current, fieldOf(fieldOf(current, 'request'), 'object'));
    if (hook === undefined) continue;
    const { status, json } = await askGuard(address, `/${phase}?timeout=${String(hook.timeoutSeconds)}s`, current);
    const response = fieldOf(json, 'response');
    const outcome = outcomeOf({ status, json, response }, { hook, review: decoded, file });
    warnings.push(...textsOf(fieldOf(response, 'warnings')));
    if (outcome !== undefined) return { ...outcome, warnings };
    current = patched(current, fieldOf(response, 'patch'));
  }
  return { ...admitted(decoded), warnings };
}

interface Answered {
  readonly status: number;
  readonly json: unknown;
  readonly response: unknown;
}

interface Asked {
  readonly hook: Hook;
  readonly review: Review;
  readonly file: string;
}

/** Undefined where the write goes on. */
function outcomeOf({ status, json, response }: Answered, { hook, review, file }: Asked): AsKubectl | undefined {
  if (status !== 200) {
    const reason = String(fieldOf(json, 'error'));
    return hook.failurePolicy === 'Ignore' ? undefined : uncalled(hook, `HTTP ${String(status)}: ${reason}`);
  }
  if (fieldOf(response, 'allowed') === true) return undefined;
  return refused(review, { hook, file, status: fieldOf(response, 'status') });
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** The review with a patch of the guard applied; the guard only ever adds. */
function patched(review: Json, patch: unknown): Json {
  if (typeof patch !== 'string') return review;
  const copy = structuredClone(review);
  const object = fieldOf(fieldOf(copy, 'request'), 'object');
  const operations = JSON.parse(Buffer.from(patch, 'base64').toString()) as { path: string; value: unknown }[];
  for (const { path, value } of operations) add(object, path.split('/').slice(1), value);
  return copy;
}

function add(target: unknown, [step, ...rest]: readonly string[], value: unknown): void {
  if (step === undefined) return;
  if (rest.length > 0) {
    add(Array.isArray(target) ? target[Number(step)] : fieldOf(target, step), rest, value);
  } else if (Array.isArray(target)) {
    target.push(value);
  } else if (isObject(target)) {
    (target as Record<string, unknown>)[step] = value;
  }
}
