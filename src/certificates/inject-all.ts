import type { Log } from '../log.js';
import type { Step } from './decide.js';
import type { CertificateStore, ReadConfiguration } from './store.js';

interface Look {
  readonly configurations: readonly ReadConfiguration[];
  readonly signal: AbortSignal;
}

interface InjectParts {
  readonly store: Pick<CertificateStore, 'inject'>;
  readonly log: Log;
}

/** Tries all configurations that the step names; raises what went wrong first. */
export async function injectAll(
  { bundle, ids }: Extract<Step, { do: 'inject' }>,
  { configurations, signal }: Look,
  { store, log }: InjectParts,
): Promise<void> {
  const failures: unknown[] = [];
  for (const configuration of configurations.filter(({ id }) => ids.includes(id))) {
    try {
      if (await store.inject(bundle, configuration, signal)) {
        log.info({ path: configuration.id }, 'the caBundle of the webhook configuration is up to date');
      }
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
