/**
 * Rules whose warnings hold a command to paste. The test of a rule fails where its warning holds one and it is not here,
 * and test/e2e/fixes where one of these is not executed.
 */
export const warningCommands: readonly string[] = ['run-not-started', 'approval-has-effect'];

/** The commands in a text that kubectl shows, each up to the end of its line; a plugin of kubectl is only spoken of. */
export function commandsIn(text: string): readonly string[] {
  return [...text.matchAll(/\bkubectl (?!fleet )[a-z]+ .*$/gm)].map(([command]) => command);
}
