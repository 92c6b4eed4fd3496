import { connect } from 'node:tls';

/** Whether whoever trusts these certificates alone, as the API server does with a caBundle, gets through to a port here. */
export function isTrustedOn(port: number, caBundle: string, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const ca = Buffer.from(caBundle, 'base64').toString('utf8');
    const socket = connect({ host: '127.0.0.1', port, ca, servername: host, timeout: 2_000 });
    const end = (isTrusted: boolean) => () => {
      socket.destroy();
      resolve(isTrusted);
    };
    socket.once('secureConnect', end(true));
    socket.once('error', end(false));
    socket.once('timeout', end(false));
  });
}
