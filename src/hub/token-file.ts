import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { parse } from 'yaml';
import { fieldOf } from '../fleet/json.js';
import { checkPlainFile } from '../plain-file.js';

/**
 * Gives the current user of a kubeconfig the token of its `tokenFile`, which client-node knows under another name alone,
 * and says whether there is one. As with kubectl it beats `token`, and a relative path begins at the kubeconfig.
 */
export function useTokenFile(config: KubeConfig, kubeconfig: string): boolean {
  const name = config.getCurrentUser()?.name;
  const users = fieldOf(parse(readFileSync(kubeconfig, 'utf8')), 'users');
  const current: unknown = Array.isArray(users) ? users.find((user) => fieldOf(user, 'name') === name) : undefined;
  const file = fieldOf(fieldOf(current, 'user'), 'tokenFile');
  if (typeof file !== 'string' || file === '') return false;
  const path = resolve(dirname(kubeconfig), file);
  checkPlainFile(path);
  const token = readFileSync(path, 'utf8').trim();
  config.users = config.users.map((user) => (user.name === name ? { ...user, token } : user));
  return true;
}
