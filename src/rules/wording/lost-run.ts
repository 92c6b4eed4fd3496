import type { UpdateRun } from '../../fleet/model.js';
import { isActive, isUnderWay } from '../../fleet/run.js';
import { fixWith, subjectName } from '../../engine/message.js';
import { deleteRun, describeRun, waitForRun } from './run.js';
import { quoted } from '../../fleet/quoted.js';

/** Why a run does not survive a write to something that it stands on. */
export interface Loss {
  readonly causes: readonly string[];
  readonly isCertain: boolean;
}

/** What to tell whoever writes; what to do comes first, since a warning may be cut at its end. */
export function lostRunText(
  run: UpdateRun,
  { causes, isCertain }: Loss,
): { readonly message: string; readonly fix: string } {
  const { name, namespace } = run.metadata;
  const who = `run ${quoted(subjectName({ kind: run.kind, name, namespace }))}`;
  const why = `${causes.join(', and ')}; the run is ${describeRun(run)}`;
  const aborted = `${isCertain ? 'would' : 'may'} be aborted for good`;
  if (isActive(run)) {
    return {
      // The order of findings is that of their messages, and active runs are to come first.
      message: `active ${who} ${aborted} (let it finish first if you can): ${why}`,
      fix: fixWith('Let the run finish first, if this can wait.', waitForRun(run)),
    };
  }
  const unstartable = isCertain ? 'could not be started any more' : 'may fail when it is started';
  return {
    message: `${who} ${isUnderWay(run) ? aborted : unstartable} (create a new run afterwards): ${why}`,
    fix: fixWith('Create a new run after this change, and delete this one.', deleteRun(name, namespace)),
  };
}
