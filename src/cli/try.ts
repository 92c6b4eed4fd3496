import { readFile } from 'node:fs/promises';
import { Command, Option } from 'commander';
import type { Operation } from '../engine/change.js';
import { exitCodes, GuardError } from '../errors.js';
import { fieldOf, isObject } from '../fleet/json.js';
import type { KindOfFamily } from '../fleet/kinds.js';
import { formatPath } from '../fleet/path.js';
import { decodeManifests, misnamedProblems, type ManifestObject } from '../sources/manifests/objects.js';
import type { ManifestDocument } from '../sources/manifests/parse.js';
import { checkPlainFile } from '../plain-file.js';
import { readManifests } from '../sources/manifests/read.js';
import { type AsKubectl } from './try/as-kubectl.js';
import { askGuard, type GuardAddress } from './try/guard-client.js';
import type { Invocation } from './program/invocation.js';
import type { Io } from './program/io.js';
import { identityOf, reviewOf } from './try/review-of.js';
import { sendReview } from './try/send-review.js';
import { plain, quoted, visible } from '../fleet/quoted.js';

interface TryOptions {
  readonly server: string;
  readonly ca?: string;
  readonly operation?: string;
  readonly subresource?: 'status';
  readonly user: string;
  readonly dryRun?: boolean;
}

const examples = `
Examples (npm start runs a guard to try them on):
  stageguard try examples/bad/run-snapshot-index.yaml
  stageguard try examples/reviews/stamp-approval.json     an AdmissionReview is sent as it is`;

export function tryCommand({ io, exitWith }: Invocation): Command {
  return new Command('try')
    .description('send manifests to a running guard and print what kubectl would print; nothing is stored')
    .argument('<path...>', 'manifests or AdmissionReviews, folders of them, or - for standard input')
    .option('--server <url>', 'the guard', 'https://127.0.0.1:8443')
    .option('--ca <file>', 'certificates to trust; without it any certificate of this machine is')
    .addOption(
      new Option('--operation <operation>', 'default: update where the guard knows the object, else create').choices([
        'create',
        'update',
        'delete',
      ]),
    )
    .addOption(new Option('--subresource <name>', 'write to a subresource').choices(['status']))
    .option('--user <name>', 'who writes', 'kubernetes-admin')
    .option('--dry-run', 'as with kubectl --dry-run=server')
    .addHelpText('after', examples)
    .action(async (paths: string[], options: TryOptions) => {
      exitWith(await runTry(paths, options, io));
    });
}

/** Sends everything that files hold; the exit code says whether all of it was admitted. */
async function runTry(paths: readonly string[], options: TryOptions, io: Io): Promise<number> {
  const { documents, problems } = await readManifests(paths, { stdin: () => io.stdin() });
  for (const { message, file: where } of problems) io.err(`error: ${plain(where)}: ${visible(message)}\n`);
  const ca = options.ca === undefined ? undefined : await readCa(options.ca);
  const address = { server: options.server, ...(ca === undefined ? {} : { ca }) };
  const answers: AsKubectl[] = [];
  for (const document of documents) {
    const answer = await tryDocument(document, { ...options, address });
    for (const line of answer.warnings) io.err(`Warning: ${visible(line)}\n`);
    if (answer.isAdmitted) io.out(`${answer.text}\n`);
    else io.err(`${answer.text}\n`);
    answers.push(answer);
  }
  if (problems.length > 0) return exitCodes.unusable;
  return answers.every(({ isAdmitted }) => isAdmitted) ? exitCodes.clean : exitCodes.refused;
}

type Sending = Omit<TryOptions, 'ca'> & { readonly address: GuardAddress };

async function tryDocument(document: ManifestDocument, sending: Sending): Promise<AsKubectl> {
  const { file, json, kind } = document;
  if (json['kind'] === 'AdmissionReview') return sendReview(json, { file, address: sending.address });
  const invalid = sending.operation === 'delete' || sending.subresource ? [] : shapeTexts(document);
  if (invalid.length > 0) return { isAdmitted: false, warnings: [], text: invalid.join('\n') };
  if (kind === undefined) {
    const name = fieldOf(json['metadata'], 'name');
    return {
      isAdmitted: true,
      warnings: [],
      text: `${plain(String(json['kind']))} ${typeof name === 'string' ? plain(name) : ''}: not a kind that stageguard is asked about`,
    };
  }
  return tryManifest({ file, json, kind }, sending);
}

/** What the API server says of a manifest before it asks any guard, and how to fix it. */
function shapeTexts(document: ManifestDocument): readonly string[] {
  const { problems, shape } = standingOf(document);
  const told = [
    ...problems,
    ...shape.map(({ path, message, fix }) => ({
      ...{ file: document.file, ...document.locate(path), message: `${formatPath(path)}: ${message}`, fix },
    })),
  ];
  return told.map(({ file, line = 1, column = 1, message, fix }) => {
    const text = `Error from server (Invalid): ${plain(file)}:${String(line)}:${String(column)}: ${visible(message)}`;
    return fix === undefined ? text : `${text}\n  Fix: ${visible(fix)}`;
  });
}

function standingOf(document: ManifestDocument): Pick<ManifestObject, 'problems' | 'shape'> {
  const [object] = decodeManifests([document], 'manifests');
  return object ?? { problems: misnamedProblems([document]), shape: [] };
}

interface Manifest {
  readonly file: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly kind: KindOfFamily;
}

async function tryManifest({ file, json, kind }: Manifest, sending: Sending): Promise<AsKubectl> {
  const identity = identityOf(kind, json);
  const { name, namespace } = identity;
  const stored = await storedObject(sending.address, [kind.plural, namespace ?? '_', name]);
  const operation = (sending.operation?.toUpperCase() ?? (stored === undefined ? 'CREATE' : 'UPDATE')) as Operation;
  if (operation !== 'CREATE' && stored === undefined) {
    const text = `Error from server (NotFound): ${kind.plural}.${kind.group} ${quoted(name)} not found`;
    return { isAdmitted: false, warnings: [], text };
  }
  const { user, dryRun = false, subresource } = sending;
  const review = reviewOf({ kind, json, stored, operation, subresource, user, dryRun }, identity);
  return sendReview(review, { file, address: sending.address });
}

/** What a guard on manifests has stored; other guards do not tell, and then everything is new. */
async function storedObject(address: GuardAddress, key: readonly string[]): Promise<Manifest['json'] | undefined> {
  const { status, json } = await askGuard(address, `/fleet/${key.map(pathSegment).join('/')}`);
  return status === 200 && isObject(json) ? json : undefined;
}

/** Half a character has no place in an address. */
function pathSegment(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Cs}/gu, '\ufffd'));
}

async function readCa(file: string): Promise<string> {
  try {
    checkPlainFile(file);
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new GuardError('INPUT_UNREADABLE', `${plain(file)}: cannot be read`, { cause });
  }
}
