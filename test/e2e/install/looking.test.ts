import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { commandsIn } from '../../support/document-commands.js';
import { useHub } from '../harness/use-hub.js';
import { commandsOf } from './documents.js';
import { useDesk } from './use-desk.js';

const hub = useHub({ withControllers: true, losesRights: true });
const desk = useDesk(hub);

/** These change something, and have journeys of their own; or there is nothing here that they could look at. */
const isForOthers = /^helm |^kubectl (?:-n \S+ )?delete |--previous|get certificate/;

test('journey: what docs/operations.md, troubleshooting.md, rollout.md and adopt.md tell to look at, to the letter', async () => {
  const { done, folder, more, paste } = desk();
  writeFileSync(join(folder, 'stageguard.yaml'), 'defaultMode: audit\n');
  await done(commandsOf('install.md', 'Step 1: install')[0]);
  await more('refused');
  const commands = ['operations', 'troubleshooting', 'rollout', 'adopt']
    .flatMap((page) => commandsIn(`docs/${page}.md`))
    .map(({ command }) => command)
    .filter((command) => !isForOthers.test(command));
  expect(commands.length).toBeGreaterThan(20);
  const failed: string[] = [];
  for (const command of new Set(commands)) {
    // What people have in deploy/; ours has no runs.
    const { code, stderr } = await paste(command.replace(' deploy/ ', ' examples/good '));
    const isRefusal = command.startsWith('kubectl create --dry-run') && /denied the request/.test(stderr);
    // Nothing found is an answer, too.
    if (code > 1 || (stderr !== '' && !isRefusal)) failed.push(`${command}\n${String(code)} ${stderr}`);
  }
  expect(failed).toEqual([]);
}, 180_000);
