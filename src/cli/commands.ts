import { auditCommand } from './audit.js';
import { checkCommand } from './check.js';
import { explainCommand } from './explain.js';
import type { CommandDefinition } from './invocation.js';
import { planCommand } from './plan.js';
import { rulesCommand } from './rules.js';
import { serveCommand } from './serve.js';
import { tryCommand } from './try.js';

/** Every subcommand, in the order of the help. */
export const commands: readonly CommandDefinition[] = [
  checkCommand,
  planCommand,
  auditCommand,
  serveCommand,
  tryCommand,
  rulesCommand,
  explainCommand,
];
