// What a release needs to know and to fill in; .github/workflows/release.yml calls it, and CONTRIBUTING.md says when.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const root = new URL('..', import.meta.url).pathname;
const textOf = (path) => readFile(join(root, path), 'utf8');
const jsonOf = async (path) => JSON.parse(await textOf(path));

/** Where the version stands, and what stands there. */
async function versions() {
  const chart = await textOf('charts/stageguard/Chart.yaml');
  const found = (text, what) => what.exec(text)?.[1];
  return {
    'package.json': (await jsonOf('package.json')).version,
    'package-lock.json': (await jsonOf('package-lock.json')).version,
    'Chart.yaml, version': found(chart, /^version: (.*)$/m),
    'Chart.yaml, appVersion': found(chart, /^appVersion: (.*)$/m),
    Dockerfile: found(await textOf('Dockerfile'), /^ARG VERSION=(.*)$/m),
  };
}

/** What the changelog says of a version. */
async function notes(version) {
  const sections = (await textOf('CHANGELOG.md')).split(/^## /m).slice(1);
  const section = sections.find((each) => each.startsWith(`[${version}] - `));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## [${version}] - <date>"`);
  return section.slice(section.indexOf('\n')).trim();
}

const commands = {
  /** The version that a tag names, if it stands everywhere. */
  async version(tag) {
    const wanted = /^v(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)$/.exec(tag ?? '')?.[1];
    if (wanted === undefined) throw new Error(`${tag} is no tag of a version, such as v0.1.0`);
    const wrong = Object.entries(await versions()).filter(([, version]) => version !== wanted);
    if (wrong.length > 0) {
      throw new Error(wrong.map(([place, version]) => `${place}: ${version}, but the tag is ${tag}`).join('\n'));
    }
    await notes(wanted);
    return wanted;
  },

  notes,

  /** The manifest for krew of an archive. */
  async krew(archive) {
    const digest = createHash('sha256').update(await readFile(archive));
    const values = { VERSION: (await jsonOf('package.json')).version, SHA256: digest.digest('hex') };
    return (await textOf('deploy/krew.yaml')).trimEnd().replaceAll(/\$\{(\w+)\}/g, (_, name) => values[name]);
  },

  /** Names an image (`repository@digest`) in the values of the chart. */
  async chart(image) {
    const [, repository, digest] = /^([^@\s'"]+)@(sha256:[0-9a-f]{64})$/.exec(image ?? '') ?? [];
    if (repository === undefined) throw new Error(`${image} is no image with its digest`);
    const path = 'charts/stageguard/values.yaml';
    let values = await textOf(path);
    for (const [key, value] of Object.entries({ repository, digest })) {
      const [first, ...others] = values.match(new RegExp(`^  ${key}: ''$`, 'gm')) ?? [];
      if (first === undefined || others.length > 0) throw new Error(`${path} has no one empty ${key}`);
      values = values.replace(first, () => `  ${key}: ${value}`);
    }
    await writeFile(join(root, path), values);
    return `${path} names ${image}`;
  },
};

const [name = '', argument] = process.argv.slice(2);
try {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) throw new Error(`usage: release.mjs ${Object.keys(commands).join('|')} ARGUMENT`);
  console.log(await command(argument));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
