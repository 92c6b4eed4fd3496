import type { CommandDefinition } from './invocation.js';

/** Every subcommand, in the order of the help. Each is a part of the program that is loaded when it is asked for. */
const commands: Readonly<Record<string, () => Promise<CommandDefinition>>> = {
  check: async () => (await import('../check.js')).checkCommand,
  plan: async () => (await import('../plan.js')).planCommand,
  audit: async () => (await import('../audit.js')).auditCommand,
  adopt: async () => (await import('../adopt.js')).adoptCommand,
  diagnose: async () => (await import('../diagnose.js')).diagnoseCommand,
  watch: async () => (await import('../watch.js')).watchCommand,
  export: async () => (await import('../export.js')).exportCommand,
  serve: async () => (await import('../serve.js')).serveCommand,
  try: async () => (await import('../try.js')).tryCommand,
  test: async () => (await import('../test.js')).testCommand,
  floor: async () => (await import('../floor.js')).floorCommand,
  config: async () => (await import('../config.js')).configCommand,
  rules: async () => (await import('../rules.js')).rulesCommand,
  explain: async () => (await import('../explain.js')).explainCommand,
  completion: async () => (await import('../completion.js')).completionCommand,
};

/** Speaks of all the others. */
const needsAll = 'completion';

/** The subcommand that a command line begins with; all of them where it begins with none, so that help can list them. */
export async function commandsFor([first = '']: readonly string[]): Promise<readonly CommandDefinition[]> {
  const named = first !== needsAll && Object.hasOwn(commands, first) ? commands[first] : undefined;
  const loaded: CommandDefinition[] = [];
  for (const load of named === undefined ? Object.values(commands) : [named]) loaded.push(await load());
  return loaded;
}
