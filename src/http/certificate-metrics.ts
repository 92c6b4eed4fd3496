import { rootCertificates } from 'node:tls';
import { Gauge, type Registry } from 'prom-client';
import { certificatesIn, isTrusted, type Certificate } from '../certificates/certificate.js';
import type { Bundle, Configuration } from '../certificates/decide.js';
import { described } from './metric-definitions.js';

/** What is known of certificates; read when asked, never kept. */
export interface CertificateSources {
  /** The chain that is shown, the server's own certificate first. */
  serving(): readonly Certificate[];
  authority(): Certificate | undefined;
  /** The guard's own webhook configurations, where they could be read. */
  configurations(): readonly Configuration[] | undefined;
  /** Whether the webhooks match anything at all. */
  isArmed?(): boolean | undefined;
  now(): number;
}

export function createCertificateMetrics(registry: Registry, sources: CertificateSources): void {
  const registers = [registry];
  new Gauge({
    ...described('stageguard_certificate_expiry_seconds'),
    registers,
    collect() {
      this.reset();
      const times = {
        serving: sources.serving()[0]?.notAfter,
        ca: sources.authority()?.notAfter,
        bundle: endOf(sources),
      };
      for (const [certificate, time] of Object.entries(times)) {
        if (time !== undefined) this.set({ certificate }, Math.floor(time / 1000));
      }
    },
  });
  new Gauge({
    ...described('stageguard_webhooks_without_trust'),
    registers,
    collect() {
      this.reset();
      const bundles = sources.configurations()?.flatMap((configuration) => configuration.bundles);
      if (bundles === undefined) this.set(NaN);
      else this.set(bundles.filter((bundle) => !vouches(bundle, sources)).length);
    },
  });
  new Gauge({
    ...described('stageguard_webhooks_in_force'),
    registers,
    collect() {
      this.reset();
      const isArmed = sources.isArmed?.();
      const all = sources.configurations();
      if (isArmed === undefined || all === undefined) return;
      for (const configuration of ['validating', 'mutating']) {
        const found = all.find(({ id }) => id.includes(`/${configuration}webhookconfigurations/`));
        const isTrusting = found?.bundles.every((bundle) => vouches(bundle, sources)) === true;
        this.set({ configuration }, isArmed && isTrusting ? 1 : 0);
      }
    },
  });
}

function vouches({ text, certificates, host }: Bundle, sources: CertificateSources): boolean {
  const chain = sources.serving();
  if (host !== undefined && chain[0]?.covers(host) !== true) return false;
  // Without a bundle the API server takes the roots of its system.
  return isTrusted(chain, text === '' ? systemRoots() : certificates, sources.now());
}

let roots: readonly Certificate[] | undefined;
function systemRoots(): readonly Certificate[] {
  roots ??= certificatesIn(rootCertificates.join('\n'));
  return roots;
}

/** The earliest end among the bundles. */
function endOf(sources: CertificateSources): number | undefined {
  const bundles = sources.configurations()?.flatMap((configuration) => configuration.bundles) ?? [];
  const ends = bundles
    .filter(({ certificates }) => certificates.length > 0)
    .map(({ certificates }) => Math.max(...certificates.map(({ notAfter }) => notAfter)));
  return ends.length === 0 ? undefined : Math.min(...ends);
}
