import { defaultPolicy } from '../../../engine/policy.js';
import { refusalText } from '../../../engine/message.js';
import type { Rule } from '../../../engine/rule.js';
import { decodeReview } from '../../../http/admission-review.js';
import { hookFor } from '../../../http/hooks.js';
import { judgeManifests } from '../../../guard/manifest-judge.js';
import { fleetIn } from '../../../sources/manifests/fleet-files.js';
import { manifestsIn, type Manifests } from '../../../sources/manifests/read.js';
import { planManifests } from '../../plan/plan-manifests.js';
import { refused } from '../../try/as-kubectl.js';
import { identityOf, reviewOf } from '../../try/review-of.js';
import { planPicture } from './plan.js';
import { terminalPicture } from './terminal.js';

interface PicturesInput {
  readonly rules: readonly Rule[];
  readonly fleet: Manifests;
  /** The text of an example. */
  readonly textOf: (path: string) => string;
  readonly now: number;
}

const refusedExample = 'examples/bad/run-placement-free.yaml';
const plannedExample = 'examples/good/run-explicit-index.yaml';

/** The pictures of README.md: a refusal as kubectl shows it, and a plan. */
export function pictures(input: PicturesInput): ReadonlyMap<string, string> {
  return new Map([
    ['docs/pictures/refusal.svg', refusalPicture(input)],
    ['docs/pictures/plan.svg', planOf(input)],
  ]);
}

function worldOf({ rules, fleet, textOf, now }: PicturesInput, file: string) {
  const manifests = manifestsIn([{ file, text: textOf(file) }]);
  return { manifests, known: fleetIn(fleet), rules, policy: defaultPolicy, now };
}

function refusalPicture(input: PicturesInput): string {
  const world = worldOf(input, refusedExample);
  const [judged] = judgeManifests(world).judged;
  const [document] = world.manifests.documents;
  const hook = judged && hookFor(judged.change, 'validate');
  if (judged === undefined || document?.kind === undefined || hook === undefined) throw new Error(refusedExample);
  const { kind, json, file } = document;
  const write = { kind, json, stored: undefined, operation: 'CREATE', subresource: undefined } as const;
  const review = decodeReview(reviewOf({ ...write, user: 'you', dryRun: false }, identityOf(kind, json)));
  const status = { reason: 'Forbidden', message: refusalText(judged.verdict) };
  return terminalPicture(`kubectl apply -f ${file}`, refused(review, { hook, file, status }).text);
}

function planOf(input: PicturesInput): string {
  const { title, plan } = planManifests(worldOf(input, plannedExample));
  if (plan === undefined) throw new Error(plannedExample);
  return planPicture(title, plan);
}
