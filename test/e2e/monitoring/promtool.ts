import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { scratchFolder } from '../../support/scratch.js';
import { programs } from '../harness/hub.js';

export interface Told {
  readonly code: number;
  readonly text: string;
}

export function promtool(args: readonly string[], stdin = ''): Promise<Told> {
  return new Promise((resolve) => {
    const child = execFile(programs.promtool, args, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), text: stdout + stderr });
    });
    child.stdin?.end(stdin);
  });
}

export interface Series {
  readonly series: string;
  /** In the notation of promtool: one value a minute. */
  readonly values: string;
}

export interface RuleTest {
  readonly name: string;
  readonly interval: '1m';
  readonly input_series: readonly Series[];
  readonly alert_rule_test?: readonly object[];
  readonly promql_expr_test?: readonly object[];
}

/** Runs the tests against rules, as Prometheus would evaluate them; what fails is told by the name of its test. */
export async function testRules(groups: unknown, tests: readonly RuleTest[]): Promise<Told> {
  const folder = scratchFolder();
  writeFileSync(join(folder, 'rules.yaml'), stringify({ groups }));
  writeFileSync(
    join(folder, 'tests.yaml'),
    stringify({ rule_files: ['rules.yaml'], evaluation_interval: '1m', tests }),
  );
  return promtool(['test', 'rules', join(folder, 'tests.yaml')]);
}
