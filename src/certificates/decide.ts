import { clockTolerance, isValidAt, type Certificate, type TlsPair } from './certificate.js';

/** A CA. Without a key it only vouches for what it has signed. */
export interface Authority {
  readonly certificate: Certificate;
  readonly key?: string;
}

/** What the replicas share, in one Secret. */
export interface Kept {
  /** All that are trusted, the oldest first. */
  readonly authorities: readonly Authority[];
  readonly pair?: { readonly certificate: Certificate; readonly tls: TlsPair };
  /** Of each CA the earlier certificate that expires last: until then a replica may show one, and the CA is trusted. */
  readonly issued: readonly Certificate[];
}

/** What a webhook trusts: the text of its caBundle, and the certificates in it. */
export interface Bundle {
  readonly text: string;
  readonly certificates: readonly Certificate[];
  /** The name that the certificate must be for. */
  readonly host?: string;
}

/** A webhook configuration of the guard, and the bundle of each of its webhooks. */
export interface Configuration {
  readonly id: string;
  readonly bundles: readonly Bundle[];
}

export interface Lives {
  readonly pair: number;
  readonly authority: number;
}

export interface Situation {
  readonly now: number;
  readonly lives: Lives;
  /** What the certificate must be good for. */
  readonly names: readonly string[];
  /** Undefined where there is no Secret. */
  readonly kept: Kept | undefined;
  /** What was in the Secret when it was last there. */
  readonly remembered: Kept | undefined;
  readonly configurations: readonly Configuration[];
  /** Whether the configurations can be written, as far as is known. */
  readonly canInject?: boolean;
  /** The certificate that this replica shows. */
  readonly shown?: Certificate | undefined;
  /** Whether every API server has had the time to learn that all configurations trust this CA. */
  readonly isSettled: (authority: Certificate) => boolean;
}

export type Step =
  /** `because` where there is work that cannot be done. */
  | { readonly do: 'rest'; readonly because?: string }
  /** Nothing can be gone on with: a new CA and a pair, beside all that is trusted now. */
  | { readonly do: 'begin'; readonly trust: readonly Certificate[] }
  | { readonly do: 'restore'; readonly kept: Kept }
  | { readonly do: 'inject'; readonly ids: readonly string[]; readonly bundle: string }
  | { readonly do: 'add authority' }
  | { readonly do: 'issue'; readonly from: Authority; readonly names: readonly string[] };

/** The one next step. Every replica asks this of what it reads, and the writes are compare-and-swap: no leader needed. */
export function decide(situation: Situation): Step {
  const { now, lives, kept, remembered } = situation;
  if (kept === undefined) {
    const isRemembered = remembered !== undefined && isUsable(remembered, now);
    if (isRemembered) return { do: 'restore', kept: withTrust(remembered, trustedNow(situation)) };
    return { do: 'begin', trust: trustedNow(situation) };
  }
  const newest = issuersOf(kept, now).at(-1);
  if (newest === undefined) return withoutIssuer(situation, kept);
  const injection = injectionFor(situation, kept);
  if (injection !== undefined) return injection;
  // Whoever shows nothing valid has nothing to lose by a CA that is not known everywhere yet.
  if (!isUsable(kept, now)) return { do: 'issue', from: newest, names: situation.names };
  if (isDue(newest.certificate, lives.authority, now)) return { do: 'add authority' };
  return issueWhereDue(situation, kept);
}

function injectionFor({ configurations, canInject = true }: Situation, kept: Kept): Step | undefined {
  const bundle = bundleOf(kept);
  const outdated = configurations.filter(({ bundles }) => bundles.some(({ text }) => text !== bundle));
  if (!canInject || outdated.length === 0) return undefined;
  return { do: 'inject', ids: outdated.map(({ id }) => id), bundle };
}

/**
 * No CA with a key is valid by this clock. Where there is one by the clock of another replica, each would put an end to
 * what the other has begun, again and again: whoever shows a certificate that will do for a while stays out of it.
 */
function withoutIssuer(situation: Situation, kept: Kept): Step {
  const { now, lives, shown } = situation;
  const isGood =
    kept.authorities.some(({ key }) => key !== undefined) &&
    shown !== undefined &&
    isValidAt(shown, now) &&
    !isDue(shown, lives.pair, now) &&
    kept.authorities.some(({ certificate }) => shown.isSignedBy(certificate));
  if (!isGood) return { do: 'begin', trust: trustedNow(situation) };
  return { do: 'rest', because: 'the CA in the Secret is not valid now: the clocks of the replicas differ by days' };
}

/** A CA signs nothing that is shown before all configurations trust it; until then the one before goes on. */
function issueWhereDue(situation: Situation, kept: Kept): Step {
  const { now, lives, names, isSettled } = situation;
  const { authorities, pair } = kept;
  const from = issuersOf(kept, now).findLast(({ certificate }) => isSettled(certificate));
  const signer = authorities.findIndex((authority) => pair?.certificate.isSignedBy(authority.certificate));
  if (from === undefined || pair === undefined || authorities.indexOf(from) < signer) return { do: 'rest' };
  const isOfOlder = authorities.indexOf(from) > signer;
  if (isOfOlder || isDue(pair.certificate, lives.pair, now)) return { do: 'issue', from, names };
  const missing = names.filter((name) => !pair.certificate.covers(name));
  // Replicas of two versions may want different names for a while: each adds its own, and none takes any away.
  if (missing.length > 0) return { do: 'issue', from, names: [...pair.certificate.names, ...missing] };
  return { do: 'rest' };
}

/** Renewal is due when two thirds of the life are over, by what is left: dates may have been set back. */
function isDue({ notAfter }: Certificate, life: number, now: number): boolean {
  return notAfter - now < life / 3;
}

/** A pair that can be shown: valid, and signed by a CA that is trusted. */
function isUsable({ authorities, pair }: Kept, now: number): boolean {
  if (pair === undefined || !isValidAt(pair.certificate, now)) return false;
  return authorities.some(({ certificate }) => isValidAt(certificate, now) && pair.certificate.isSignedBy(certificate));
}

function issuersOf(kept: Kept | undefined, now: number): readonly Authority[] {
  return (kept?.authorities ?? []).filter(({ key, certificate }) => key !== undefined && isValidAt(certificate, now));
}

/** The bundle as the configurations should hold it. */
export function bundleOf({ authorities }: Kept): string {
  return authorities.map(({ certificate }) => certificate.pem).join('');
}

/**
 * Pods of before may show certificates of CAs that only the configurations know. What is not valid yet stays: where a
 * clock is behind, it is what everyone else shows.
 */
function trustedNow({ now, kept, configurations }: Situation): readonly Certificate[] {
  const known = [
    ...(kept?.authorities ?? []).map(({ certificate }) => certificate),
    ...configurations.flatMap(({ bundles }) => bundles.flatMap(({ certificates }) => certificates)),
  ];
  const byId = new Map(known.filter((certificate) => !isLongOver(certificate, now)).map((it) => [it.id, it]));
  return [...byId.values()];
}

/** What one replica remembers may be older than what another shows by now. */
function withTrust(kept: Kept, trusted: readonly Certificate[]): Kept {
  const known = new Set(kept.authorities.map(({ certificate }) => certificate.id));
  const others = trusted.filter(({ id }) => !known.has(id)).map((certificate) => ({ certificate }));
  return { ...kept, authorities: [...others, ...kept.authorities] };
}

/** Whether all webhooks of all configurations hold this CA. Where there is no configuration, nobody asks. */
export function isInAll(configurations: readonly Configuration[], { id }: Certificate): boolean {
  const bundles = configurations.flatMap((configuration) => configuration.bundles);
  return bundles.every(({ certificates }) => certificates.some((certificate) => certificate.id === id));
}

/** What is kept once a pair has been issued: older CAs lose their keys, and leave when none of their pairs is valid. */
export function withPair(kept: Kept, pair: NonNullable<Kept['pair']>, { from, now }: Issuing): Kept {
  const issued = earlierOf(kept, now);
  const signed = (authority: Certificate): boolean => issued.some((certificate) => certificate.isSignedBy(authority));
  const place = kept.authorities.indexOf(from);
  const authorities = kept.authorities.flatMap((authority, index) => {
    if (index >= place) return [authority];
    return signed(authority.certificate) ? [{ certificate: authority.certificate }] : [];
  });
  return { authorities, pair, issued };
}

/** What may still be shown once another pair has taken its place; one for each CA, or the Secret would grow without end. */
export function earlierOf({ authorities, pair, issued }: Kept, now: number): readonly Certificate[] {
  const all = [...issued, ...(pair === undefined ? [] : [pair.certificate])].filter((it) => !isLongOver(it, now));
  return authorities.flatMap(({ certificate: authority }) => {
    const own = all.filter((certificate) => certificate.isSignedBy(authority));
    return own.sort((one, other) => one.notAfter - other.notAfter).slice(-1);
  });
}

function isLongOver({ notAfter }: Certificate, now: number): boolean {
  return now >= notAfter + clockTolerance;
}

interface Issuing {
  readonly from: Authority;
  readonly now: number;
}
