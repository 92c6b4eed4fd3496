import { connect } from 'node:tls';
import { hostnameIn } from '../certificates/webhook-host.js';

/** Whether whoever trusts these certificates alone, as the API server does with a caBundle, gets through to a guard. */
export function isTrustedAt(url: string, caBundle: string, name: string): Promise<boolean> {
  const { port } = new URL(url);
  // To connect to "all addresses" is to connect to this machine.
  const host = hostnameIn(url);
  return new Promise((resolve) => {
    const ca = Buffer.from(caBundle, 'base64').toString('utf8');
    const socket = connect({ host, port: Number(port || 443), ca, servername: name, timeout: 2_000 });
    const end = (isTrusted: boolean) => () => {
      socket.destroy();
      resolve(isTrusted);
    };
    socket.once('secureConnect', end(true));
    socket.once('error', end(false));
    socket.once('timeout', end(false));
  });
}
