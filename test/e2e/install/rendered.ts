import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import type { Json } from '../harness/api.js';
import { programs } from '../harness/hub.js';

export const chart = join(import.meta.dirname, '..', '..', '..', 'charts', 'stageguard');
export const namespace = 'fleet-stageguard';

/** Values are read from standard input, and what they do not say of the image from a file. */
export const valuesFlags = ['--values', join(import.meta.dirname, 'image.yaml'), '--values', '-'];

/** What `helm template` says, for values as an object, or as somebody has written them. It needs no hub. */
export function template(values: object | string, args: readonly string[] = []): Promise<Told> {
  const named = ['--name-template', 'stageguard', '--namespace', namespace];
  const all = ['template', chart, ...named, ...valuesFlags, ...args];
  return new Promise((resolve) => {
    const child = execFile(programs.helm, all, { env: { HOME: tmpdir() } }, (error, stdout, stderr) => {
      resolve({ isGood: error === null, stdout, stderr });
    });
    child.stdin?.end(typeof values === 'string' ? values : JSON.stringify(values));
  });
}

interface Told {
  readonly isGood: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

export async function rendered(values: object | string): Promise<string> {
  const { isGood, stdout, stderr } = await template(values);
  expect({ isGood, stderr }).toEqual({ isGood: true, stderr: '' });
  return stdout;
}

export function objectsOf(yaml: string): readonly Json[] {
  return parseAllDocuments(yaml).map((document) => document.toJS() as Json);
}
