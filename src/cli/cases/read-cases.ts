import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Case, CasesFile, Given } from '../../config/cases.js';
import type { CheckedYaml } from '../../config/checked-yaml.js';
import { policyOf, type Config } from '../../config/config.js';
import { entries } from '../../config/entries.js';
import { loadCases } from '../../config/load-cases.js';
import { parseConfig, readConfig } from '../../config/read.js';
import { GuardError } from '../../errors.js';
import { plain } from '../../fleet/quoted.js';
import { manifestChecks } from '../../guard/manifest-checks.js';
import { checkPlainFile } from '../../plain-file.js';
import { isLinkOutOfRepository, leadsOutOfRepositoryOf } from '../../repository.js';
import type { Rule } from '../../engine/rule.js';
import { manifestsIn, readManifests, type Manifests } from '../../sources/manifests/read.js';
import type { CaseToJudge } from './judge-case.js';

/** Everything that can be expected to say something. */
const ids: ReadonlySet<string> = new Set([...entries, ...Object.values(manifestChecks)].map(({ id }) => id));

/** How the cases of a file are judged, unless they say so themselves. */
export interface Judging {
  readonly rules: readonly Rule[];
  /** In the place of the settings that the file names. */
  readonly config?: string | undefined;
  readonly now: number;
}

export type PlacedCase = CaseToJudge & ReturnType<CheckedYaml<CasesFile>['placeOf']>;

/** Reads a file of cases with all that they name; paths begin at its folder. */
export async function* readCases(file: string, judging: Judging): AsyncGenerator<PlacedCase> {
  const { value, placeOf } = loadCases(await textOf(file), file, ids);
  const now = value.now === undefined ? judging.now : Date.parse(value.now);
  const read = reader(file);
  for (const [at, one] of value.cases.entries()) {
    const [given, write] = await Promise.all([read(one.given ?? value.given ?? []), read(one.write)]);
    const policy = policyOf(await configFor(one, value, { file, override: judging.config }));
    yield { one, given, write, policy, rules: judging.rules, now, ...placeOf(['cases', String(at)]) };
  }
}

async function textOf(file: string): Promise<string> {
  try {
    checkPlainFile(file);
    if (isLinkOutOfRepository(file)) throw new Error('a link leads out');
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new GuardError('INPUT_UNREADABLE', `${plain(file)}: cannot be read`, { cause });
  }
}

/** Hubs are large, and most cases of a file are given the same one: it is read once. */
function reader(file: string): (given: Given) => Promise<Manifests> {
  const known = new Map<Given, Promise<Manifests>>();
  return (given) => {
    const before = known.get(given) ?? manifestsOf([given].flat(), file);
    known.set(given, before);
    return before;
  };
}

async function manifestsOf(given: readonly (string | object)[], file: string): Promise<Manifests> {
  const paths = given.filter((one) => typeof one === 'string').map((path) => resolve(dirname(file), path));
  const objects = given.filter((one) => typeof one === 'object');
  const ofObjects = manifestsIn(objects.map((object) => ({ file, text: JSON.stringify(object) })));
  if (paths.length === 0) return ofObjects;
  const isOutside = (path: string): boolean => leadsOutOfRepositoryOf(file, path);
  const ofFiles = await readManifests(paths.filter((path) => !isOutside(path)));
  const notRead = paths.filter(isOutside).map((path) => ({ file: path, message: outsideText }));
  return {
    ...ofFiles,
    documents: [...ofFiles.documents, ...ofObjects.documents],
    problems: [...ofFiles.problems, ...ofObjects.problems, ...notRead],
  };
}

const outsideText = 'is not read: it lies outside of the repository that the cases are in';

async function configFor(
  one: Case,
  all: CasesFile,
  { file, override }: { readonly file: string; readonly override: string | undefined },
): Promise<Config> {
  if (override !== undefined) return readConfig(override);
  const config = one.config ?? all.config;
  if (config === undefined) return readConfig(undefined);
  if (typeof config !== 'string') return parseConfig(file, JSON.stringify(config));
  const path = resolve(dirname(file), config);
  if (leadsOutOfRepositoryOf(file, path)) {
    throw new GuardError('INPUT_UNREADABLE', `${plain(path)}: ${outsideText}`);
  }
  return readConfig(path);
}
