import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { isQuick } from '../promise.js';

/** A program that is not of ours, or why it is left out. */
export type Foreign = { readonly path: string } | { readonly leftOut: string };

const quickly = 'not built yet, and --quick builds nothing';

/** The guard as it is released. */
export function buildGuard(folder: string): string {
  const program = join(folder, 'stageguard.mjs');
  const { status } = spawnSync(process.execPath, [resolve('tools/build.mjs'), program], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the guard cannot be built');
  return program;
}

/** The do-nothing webhook of bench/webhook, kept by what it is made of. */
export function buildWebhook(): Foreign {
  const source = resolve('bench/webhook');
  const hash = createHash('sha256');
  for (const file of ['main.go', 'go.mod', 'go.sum']) hash.update(readFileSync(join(source, file)));
  const folder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'stageguard');
  const path = join(folder, `bench-webhook-${hash.digest('hex').slice(0, 12)}`);
  if (existsSync(path)) return { path };
  if (isQuick) return { leftOut: quickly };
  if (spawnSync('go', ['version']).error !== undefined) return { leftOut: 'Go is not installed' };
  mkdirSync(folder, { recursive: true });
  console.error('building the webhook of controller-runtime, once; it takes a minute or two');
  const env = { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' };
  const args = ['build', '-C', source, '-trimpath', '-o', path, '.'];
  return spawnSync('go', args, { stdio: 'inherit', env }).status === 0 ? { path } : { leftOut: 'it cannot be built' };
}

/** The module of bench/pepr, with Pepr installed beside it. */
export function installPepr(): Foreign {
  const folder = resolve('bench/pepr');
  const path = join(folder, 'approve-all.cjs');
  if (existsSync(join(folder, 'node_modules', 'pepr'))) return { path };
  if (isQuick) return { leftOut: quickly };
  console.error('installing Pepr, once');
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 2, 'inherit'] });
  return status === 0 ? { path } : { leftOut: 'npm cannot install it' };
}
