import type { Command } from 'commander';
import type { Rule } from '../../engine/rule.js';
import type { Io } from './io.js';

/** What a subcommand is given to work with. */
export interface Invocation {
  readonly io: Io;
  /** What is held against writes. */
  readonly rules: readonly Rule[];
  /** Tells the exit code of the process. */
  readonly exitWith: (code: number) => void;
}

/** Defines one subcommand: its name, options, help and action. */
export type CommandDefinition = (invocation: Invocation) => Command;
