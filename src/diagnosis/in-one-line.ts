import { conditionOf } from '../fleet/model.js';
import { quoted, quotedSentence } from '../fleet/quoted.js';
import type { UpdateRun } from '../fleet/model.js';
import { findingOf, stateText } from './diagnose.js';
import type { Scene } from './scene.js';

/**
 * What is the matter with a run, in one line, or nothing where nothing is wrong. It rests on the run and on what is known
 * anyway: no rule is asked, and what the clusters report is not there.
 */
export function troubleInOneLine(scene: Omit<Scene, 'rules' | 'reports'>): string | undefined {
  const { run } = scene;
  const unread = { items: [], complete: false } as const;
  const reports = { run, bindings: unread, works: unread, members: unread };
  const { state, health, causes } = findingOf({ ...scene, reports, rules: [] });
  if (health !== 'wrong') return undefined;
  const because = state === 'failed to initialize' ? lastWords(run) : causes[0]?.what;
  return `run ${quoted(run.metadata.name)} is in trouble: ${stateText(run, state)}${because === undefined ? '' : `: ${because}`}`;
}

/** Without its rules nobody can tell more of a run that never began than KubeFleet itself. */
function lastWords({ status }: UpdateRun): string | undefined {
  const { message, reason } = conditionOf(status.conditions, 'Initialized') ?? {};
  return message === undefined && reason === undefined ? undefined : quotedSentence(message ?? reason ?? '');
}
