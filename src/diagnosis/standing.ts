import { fixWith } from '../engine/message.js';
import { conditionOf } from '../fleet/model.js';
import { plain, quoted } from '../fleet/quoted.js';
import { isTakenUp } from '../fleet/run.js';
import { setState } from '../rules/wording/commands.js';
import { abortion } from './aborted.js';
import { ageOf, ageText, minutes } from './ages.js';
import { asStarted } from './by-rules.js';
import type { Cause } from './diagnosis.js';
import { conditionEvidence, evidenceOf } from './evidence.js';
import { expectations, type Found } from './found.js';
import { waitsOf } from './gates.js';
import { initializationFailure, isLate, silence } from './initialization.js';
import type { Scene } from './scene.js';
import { ofStored, seeHubAgent } from './ways-out.js';

/* Runs that do nothing: over, not begun, or stopped. */

const sound = { health: 'well', causes: [], expect: [], unseen: [] } as const;

export function finished(): Found {
  return { state: 'succeeded', ...sound };
}

/** Initialization comes first, and its failure ends a run as surely. */
export function failed(scene: Scene): Found {
  const isAborted = conditionOf(scene.run.status.conditions, 'Succeeded')?.status === 'False';
  const { causes, unseen } = isAborted ? abortion(scene) : initializationFailure(scene);
  return {
    state: isAborted ? 'aborted' : 'failed to initialize',
    health: 'wrong',
    causes,
    expect: [expectations.notRevived, ...(isAborted ? [expectations.notRolledBack] : [])],
    unseen,
  };
}

export function pending(scene: Scene): Found {
  const { causes, unseen } = silence(scene);
  const isWrong = isLate(scene.run, scene.now) || causes.some(({ rule }) => rule !== undefined);
  const expect = isWrong && isTakenUp(scene.run) ? [expectations.triesAgain] : [];
  return { state: 'no status', health: isWrong ? 'wrong' : 'waiting', causes, expect, unseen };
}

export function deleting({ run, now }: Scene): Found {
  const { deletionTimestamp, finalizers } = run.metadata;
  const isLong = (ageOf(deletionTimestamp, now) ?? 0) > 2 * minutes;
  const age = ageText(deletionTimestamp, now) ?? 'a while';
  const cause: Cause = {
    what: `the run has been going for ${age}${isLong ? ', and the hub agent has not let go of it: it may be down' : ''}`,
    evidence: [
      evidenceOf(run, 'metadata.deletionTimestamp', quoted(deletionTimestamp ?? '')),
      evidenceOf(run, 'metadata.finalizers', finalizers.map(plain).join(', ') || 'none'),
    ],
    fix: isLong ? seeHubAgent() : '',
  };
  return {
    ...{ state: 'being deleted', health: isLong ? 'wrong' : 'well', causes: [cause] },
    ...{ expect: [expectations.notRolledBack], unseen: [] },
  };
}

/** Nobody has started it. What would keep it from starting is told now. */
export function initialized(scene: Scene): Found {
  return idle(scene, 'not started', 'nobody has started the run: it was created in state Initialize');
}

export function stopped(scene: Scene): Found {
  return idle(scene, 'stopped', 'somebody has stopped the run');
}

function idle(scene: Scene, state: 'not started' | 'stopped', what: string): Found {
  const { run } = scene;
  const { name, namespace } = run.metadata;
  const { causes, unseen } = asStarted(run, scene);
  const progressing = conditionOf(run.status.conditions, 'Progressing');
  const isFirst = state === 'not started';
  const reason: Cause = {
    what,
    evidence: [
      evidenceOf(run, 'spec.state', quoted(run.spec.state)),
      ...(progressing === undefined || isFirst ? [] : [conditionEvidence(run, progressing)]),
    ],
    fix:
      causes.length > 0
        ? ''
        : fixWith(
            isFirst ? 'Start it.' : 'Resume it, or leave it; deleting it rolls nothing back either.',
            setState(name, namespace, 'Run'),
          ),
  };
  const against = causes.map((cause) => ({
    ...cause,
    fix: ofStored(cause.fix),
    what: `it must not be ${isFirst ? 'started' : 'resumed'} as things are: ${cause.what}`,
  }));
  return {
    state,
    health: causes.length > 0 ? 'wrong' : 'waiting',
    causes: [...against, reason, ...(isFirst ? [] : answersTo(scene))],
    expect: isFirst ? [] : [expectations.notRolledBack, expectations.waitsAnew],
    unseen,
  };
}

/** What was approved while the run stands still; a gate that nobody has answered is told when it goes on. */
function answersTo(scene: Scene): readonly Cause[] {
  return waitsOf(scene)
    .filter(({ isAnswered }) => isAnswered === true)
    .map(({ cause }) => cause);
}
