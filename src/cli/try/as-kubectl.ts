import type { Operation } from '../../engine/change.js';
import type { Review } from '../../http/admission-review.js';
import type { Hook } from '../../http/hooks.js';
import { fieldOf } from '../../fleet/json.js';
import { plain, quoted, visible, visibleLines } from '../../fleet/quoted.js';

/** What a person at the keyboard would see. */
export interface AsKubectl {
  readonly isAdmitted: boolean;
  readonly warnings: readonly string[];
  readonly text: string;
}

const done: Readonly<Record<Operation, string>> = { CREATE: 'created', UPDATE: 'configured', DELETE: 'deleted' };
const doing: Readonly<Record<Operation, string>> = { CREATE: 'creating', UPDATE: 'patching', DELETE: 'deleting' };

export function admitted({ subject }: Review): AsKubectl {
  if (subject === undefined)
    return { isAdmitted: true, warnings: [], text: 'admitted: stageguard is not asked about it' };
  const { change, kind } = subject;
  const what = `${kind.kind.toLowerCase()}.${kind.group}/${plain(change.name)}`;
  const how = `${done[change.operation]}${change.dryRun ? ' (server dry run)' : ' (not stored: this is a trial)'}`;
  return { isAdmitted: true, warnings: [], text: `${what} ${how}` };
}

/** A refusal inside a review: kubectl puts the file, the API server the name of the webhook, before the message. */
export function refused(
  { subject }: Review,
  { hook, file, status }: { readonly hook: Hook; readonly file: string; readonly status: unknown },
): AsKubectl {
  const reason = plain(String(fieldOf(status, 'reason')));
  const message = visibleLines(String(fieldOf(status, 'message')));
  const seconds = fieldOf(fieldOf(status, 'details'), 'retryAfterSeconds');
  const again =
    typeof seconds !== 'number'
      ? ''
      : `\n(kubectl sends it again by itself every ${String(seconds)} s, up to 10 times)`;
  const verb = doing[subject?.change.operation ?? 'CREATE'];
  return {
    isAdmitted: false,
    warnings: [],
    text: `Error from server (${reason}): error when ${verb} ${quoted(file)}: admission webhook ${quoted(hook.name)} denied the request: ${message}${again}`,
  };
}

/** A guard that could not answer, behind a hook that fails closed. */
export function uncalled(hook: Hook, reason: string): AsKubectl {
  const text = `Error from server (InternalError): Internal error occurred: failed calling webhook ${quoted(hook.name)}: ${visible(reason)}`;
  return { isAdmitted: false, warnings: [], text };
}
