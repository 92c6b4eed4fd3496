import type { Socket } from 'node:net';
import { TLSSocket, type PeerCertificate } from 'node:tls';

/**
 * Why whoever is at the other end gets no verdict; undefined where it gets one. The certificate has been verified with
 * the CAs of the server; probes need none, and so connections without one are let in and judged by what they ask for.
 */
export function refusalOfCaller(socket: Socket, names: readonly string[]): string | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return 'reviews are answered to known clients only';
  if (names.length === 0) return undefined;
  const shown = namesIn(socket.getPeerCertificate());
  return shown.some((name) => names.includes(name)) ? undefined : 'this client is not one of those that may ask';
}

/** The common name, and the DNS names; a name of another kind may hold the text `DNS:` in it. */
function namesIn({ subject, subjectaltname = '' }: PeerCertificate): readonly string[] {
  const common = (subject as PeerCertificate['subject'] | undefined)?.CN ?? [];
  return [
    ...[common].flat(),
    ...[...subjectaltname.matchAll(/(?:^|, )DNS:([^,\s"]+)(?=,|$)/g)].map(([, name = '']) => name),
  ];
}
