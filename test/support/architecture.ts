import { posix } from 'node:path';
import ts from 'typescript';

/** What one folder (or root file) of src/ may know. Its own folder is always allowed. */
export interface Room {
  readonly rooms: readonly string[] | 'all';
  readonly packages: readonly string[];
  readonly node: boolean;
  /** Synchronous and without I/O, clock, chance or environment. */
  readonly pure?: true;
}

/** Source text by path below src/, with forward slashes. */
export type Sources = ReadonlyMap<string, string>;

const maxFileLines = 250;
const forbiddenNames = new Set(['utils', 'helpers', 'common', 'types', 'shared', 'base']);

const impureNames = new Set([
  ...['process', 'console', 'fetch', 'performance', 'crypto', 'globalThis', 'Promise', 'queueMicrotask'],
  ...['setTimeout', 'setInterval', 'setImmediate'],
]);

/** Every problem of every file, one line each, sorted. */
export function findProblems(sources: Sources, table: Readonly<Record<string, Room>>): string[] {
  const problems = [...sources].flatMap(([path, text]) => {
    const room = roomOf(path, table);
    if (room === undefined) return [`${path}: no row of the table covers this folder`, ...shapeProblems(path, text)];
    const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    return [
      ...shapeProblems(path, text),
      ...importsOf(source).flatMap((target) => importProblem(path, target, room)),
      ...(room.pure === true ? impurities(source) : []),
    ];
  });
  return [...problems, ...findCycles(sources)].sort();
}

function shapeProblems(path: string, text: string): string[] {
  const lines = text.trimEnd().split('\n').length;
  const segments = path.replace(/\.ts$/, '').split('/');
  const badName = segments.find((segment) => forbiddenNames.has(segment));
  return [
    ...(lines > maxFileLines ? [`${path}: ${lines} lines, more than ${maxFileLines}`] : []),
    ...(badName === undefined ? [] : [`${path}: the name "${badName}" says nothing`]),
  ];
}

/** The row with the longest matching path, so that `sources/live` can differ from `sources`. */
function roomOf(path: string, table: Readonly<Record<string, Room>>): Room | undefined {
  const parts = path.replace(/\.ts$/, '').split('/');
  for (let length = parts.length; length > 0; length--) {
    const row = table[parts.slice(0, length).join('/')];
    if (row !== undefined) return row;
  }
  return undefined;
}

const topOf = (path: string): string => path.replace(/\.[jt]s$/, '').split('/')[0] ?? '';

function importProblem(path: string, target: string, room: Room): string[] {
  if (target.startsWith('.')) {
    const top = topOf(posix.join(posix.dirname(path), target));
    const allowed = top === topOf(path) || room.rooms === 'all' || room.rooms.includes(top);
    return allowed ? [] : [`${path}: may not import ${top} (${target})`];
  }
  const allowed = target.startsWith('node:')
    ? room.node
    : room.packages.some((name) => target === name || target.startsWith(`${name}/`));
  return allowed ? [] : [`${path}: may not import ${target}`];
}

function importsOf(source: ts.SourceFile): string[] {
  const found: string[] = [];
  visit(source, (node) => {
    const target = importTarget(node);
    if (target !== undefined && ts.isStringLiteral(target)) found.push(target.text);
  });
  return found;
}

function importTarget(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return node.argument.literal;
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return node.arguments[0];
  return undefined;
}

function impurities(source: ts.SourceFile): string[] {
  const problems: string[] = [];
  visit(source, (node) => {
    const what = impurity(node);
    if (what === undefined) return;
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    problems.push(`${source.fileName}:${line + 1}: ${what} in a pure folder`);
  });
  return problems;
}

function impurity(node: ts.Node): string | undefined {
  if (ts.isAwaitExpression(node) || node.kind === ts.SyntaxKind.AwaitKeyword) return 'await';
  if (node.kind === ts.SyntaxKind.AsyncKeyword) return 'async';
  if (ts.isPropertyAccessExpression(node)) {
    const text = node.getText().replace(/\s/g, '');
    return text === 'Date.now' || text === 'Math.random' ? text : undefined;
  }
  if (ts.isNewExpression(node) || ts.isCallExpression(node)) return clockCall(node);
  return ts.isIdentifier(node) && impureNames.has(node.text) && !isMemberName(node) ? node.text : undefined;
}

/** `new Date(text)` only parses; without an argument it reads the clock, and so does `Date()` in any form. */
function clockCall(node: ts.NewExpression | ts.CallExpression): string | undefined {
  if (node.expression.getText() !== 'Date') return undefined;
  if (ts.isCallExpression(node)) return 'Date()';
  return node.arguments?.length ? undefined : 'new Date()';
}

/** `stage.process` and `{ process: 1 }` name a field of some object, not the global. */
function isMemberName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node;
  const named = ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent) || ts.isMethodDeclaration(parent);
  return named && parent.name === node;
}

function visit(node: ts.Node, see: (node: ts.Node) => void): void {
  see(node);
  if (ts.canHaveModifiers(node)) ts.getModifiers(node)?.forEach(see);
  ts.forEachChild(node, (child) => {
    // Modifiers were seen above; children hold them as well.
    if (!ts.isModifier(child)) visit(child, see);
  });
}

/** Each import cycle once, told from its alphabetically first file. */
function findCycles(sources: Sources): string[] {
  const edges = new Map([...sources].map(([path, text]) => [path, localTargets(path, text, sources)]));
  const cycles = new Set<string>();
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      cycles.add(`import cycle: ${rotate(trail.slice(start)).join(' -> ')}`);
      return;
    }
    if (done.has(path)) return;
    for (const next of edges.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) walk(path, []);
  return [...cycles];
}

function localTargets(path: string, text: string, sources: Sources): string[] {
  return importsOf(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
    .filter((target) => target.startsWith('.'))
    .map((target) => posix.join(posix.dirname(path), target).replace(/\.js$/, '.ts'))
    .filter((target) => sources.has(target));
}

function rotate(cycle: readonly string[]): string[] {
  const first = [...cycle].sort()[0] ?? '';
  const at = cycle.indexOf(first);
  return [...cycle.slice(at), ...cycle.slice(0, at), first];
}
