import { checkCommand } from './check.js';
import { explainCommand } from './explain.js';
import type { CommandDefinition } from './invocation.js';
import { rulesCommand } from './rules.js';

/** Every subcommand, in the order of the help. */
export const commands: readonly CommandDefinition[] = [checkCommand, rulesCommand, explainCommand];
