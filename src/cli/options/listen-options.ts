import { isIP } from 'node:net';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { GuardError } from '../../errors.js';
import type { ObjectName } from '../../certificates/pair-source.js';
import type { ListenFlags } from '../../guard/serving/listen-flags.js';

const minute = 60_000;
const units: Readonly<Record<string, number>> = { s: 1000, m: minute, h: 60 * minute, d: 24 * 60 * minute };

/** Adds the options; times come out in milliseconds. */
export function addListenOptions(command: Command): Command {
  const secret = 'with --tls-secret: ';
  const time = (flag: string, text: string, preset: string): Option =>
    new Option(`${flag} <time>`, text).argParser(duration).default(duration(preset), preset);
  return command
    .option('--host <address>', 'where to listen (default: 127.0.0.1 with --fleet, else every address, IPv6 and IPv4)')
    .option('--port <number>', 'port of /validate and /mutate', portNumber, 8443)
    .option('--metrics-port <number>', 'port of /metrics, plain HTTP', portNumber, 8444)
    .option('--tls-dir <dir>', 'folder with tls.crt and tls.key, followed; without it a self-signed pair is made')
    .option(
      '--tls-secret <namespace/name>',
      'make a CA and certificates, keep them in this Secret, renew them',
      objectName,
    )
    .option('--tls-names <names>', `${secret}names and addresses the API server calls, joined by commas`, names)
    .addOption(time('--tls-life', `${secret}life of a certificate, such as 12h or 90d`, '90d'))
    .addOption(time('--tls-ca-life', `${secret}life of a CA`, '365d'))
    .option('--webhook-configuration <name>', 'own webhook configurations: caBundle is watched, or kept (--tls-secret)')
    .option(
      '--arm <namespace/role>',
      'bind this Role, which puts the webhooks of --webhook-configuration in force, once the Deployment of that name answers',
      objectName,
    )
    .option('--client-ca <file>', 'answer reviews only to clients with a certificate of these CAs (PEM)')
    .option('--client-names <names>', 'with --client-ca: only to these names, joined by commas', names)
    .option('--drain <time>', 'how long to go on answering after SIGTERM (default: 10s; 0s with --fleet)', duration)
    .option(
      '--drain-idle <time>',
      'how long clients have after that to close idle connections, which the API server does after 90 s (default: 95s; 0s with --fleet)',
      duration,
    )
    .addOption(time('--drain-limit', 'how long reviews under way may take after that', '10s'));
}

/** Raises INPUT_USAGE where options do not go together. */
export function checkListenFlags(flags: ListenFlags, isLive: boolean): void {
  const problems: readonly (readonly [boolean, string])[] = [
    [flags.tlsDir !== undefined && flags.tlsSecret !== undefined, 'give either --tls-dir or --tls-secret'],
    [flags.tlsSecret !== undefined && !isLive, '--tls-secret needs a hub: it does not go with --fleet'],
    [flags.tlsSecret !== undefined && flags.tlsNames === undefined, '--tls-secret needs --tls-names'],
    [flags.tlsNames !== undefined && flags.tlsSecret === undefined, '--tls-names goes with --tls-secret only'],
    [flags.tlsNames?.every(isHostName) === false, '--tls-names takes DNS names and IP addresses, joined by commas'],
    [flags.webhookConfiguration !== undefined && !isLive, '--webhook-configuration does not go with --fleet'],
    [flags.arm !== undefined && flags.webhookConfiguration === undefined, '--arm needs --webhook-configuration'],
    [flags.tlsLife < minute, '--tls-life must be at least 1m'],
    // A certificate never outlives its CA, which is replaced when a third of its life is left.
    [flags.tlsCaLife < 3 * flags.tlsLife, '--tls-ca-life must be at least three times --tls-life'],
    [flags.clientNames !== undefined && flags.clientCa === undefined, '--client-names goes with --client-ca only'],
  ];
  const problem = problems.find(([isProblem]) => isProblem);
  if (problem !== undefined) throw new GuardError('INPUT_USAGE', problem[1]);
}

function portNumber(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number > 65_535) throw new InvalidArgumentError('It must be a number from 0 to 65535.');
  return number;
}

function duration(text: string): number {
  const [, number, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (number === undefined) throw new InvalidArgumentError('It must be a time such as 30s, 15m, 12h or 90d.');
  return Number(number) * (units[unit] ?? 0);
}

const label = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';
const dnsName = new RegExp(`^(\\*\\.)?${label}(\\.${label})*$`);

function names(text: string): readonly string[] {
  const all = text.split(',').map((name) => name.trim());
  if (all.includes('')) throw new InvalidArgumentError('It must be names, joined by commas.');
  return all;
}

/** A name that a certificate can be for; an IPv4 address in the dress of IPv6 is written into it in another way. */
function isHostName(name: string): boolean {
  return isIP(name) === 0 ? dnsName.test(name) : !/^::ffff:/i.test(name);
}

function objectName(text: string): ObjectName {
  const [namespace = '', name = '', ...more] = text.split('/');
  const isName = dnsName.test(namespace) && dnsName.test(name) && more.length === 0;
  if (!isName) throw new InvalidArgumentError('It must be NAMESPACE/NAME.');
  return { namespace, name };
}
