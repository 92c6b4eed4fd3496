import { isCommand, kubectl, type Reference } from './commands.js';
import { yamlLines } from './yaml-lines.js';

/** One operation of a JSON Patch (RFC 6902). */
interface Operation {
  readonly op: 'replace';
  readonly path: string;
  readonly value: object;
}

/** A command that patches an object, ready to paste; kubectl takes a patch as YAML, which people can read. */
export function patchLines(reference: Reference, operations: readonly Operation[]): readonly string[] {
  const command = kubectl('patch', reference, '--type=json', '-p');
  if (!isCommand(command)) return [command];
  return [`${command} '`, ...yamlLines(operations).map((line) => line.replaceAll("'", "'\\''")), "'"];
}
