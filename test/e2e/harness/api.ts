import { request, type Agent } from 'undici';

export type Json = Readonly<Record<string, unknown>>;

export interface Answer {
  /** What was asked for. */
  readonly path: string;
  readonly status: number;
  readonly body: Json;
  readonly warnings: readonly string[];
  readonly retryAfter: string | undefined;
}

const patchTypes = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** The API as one user sees it: every answer as it is, no retry. */
export interface Api {
  get(path: string): Promise<Answer>;
  create(path: string, object: unknown): Promise<Answer>;
  replace(path: string, object: unknown): Promise<Answer>;
  patch(path: string, type: keyof typeof patchTypes, patch: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
}

export interface ApiOptions {
  readonly server: string;
  readonly token: string;
  readonly agent: Agent;
}

export function connect(options: ApiOptions): Api {
  const json = 'application/json';
  return {
    get: (path) => send(options, { method: 'GET', path }),
    create: (path, object) => send(options, { method: 'POST', path, body: object, type: json }),
    replace: (path, object) => send(options, { method: 'PUT', path, body: object, type: json }),
    patch: (path, type, patch) => send(options, { method: 'PATCH', path, body: patch, type: patchTypes[type] }),
    delete: (path) => send(options, { method: 'DELETE', path }),
  };
}

interface Sent {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly type?: string;
}

async function send({ server, token, agent }: ApiOptions, { method, path, body, type }: Sent): Promise<Answer> {
  const answer = await request(`${server}${path}`, {
    method,
    dispatcher: agent,
    headers: { authorization: `Bearer ${token}`, ...(type === undefined ? {} : { 'content-type': type }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  return {
    path,
    status: answer.statusCode,
    body: bodyOf(text),
    warnings: warningsOf(answer.headers['warning']),
    retryAfter: headerOf(answer.headers['retry-after']),
  };
}

function bodyOf(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return { text };
  }
}

function headerOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** `299 - "text"`, one header each. */
function warningsOf(header: string | string[] | undefined): readonly string[] {
  const lines = header === undefined ? [] : [header].flat();
  return lines.map((line) => line.replace(/^299 - "(.*)"$/s, '$1').replaceAll('\\"', '"'));
}
