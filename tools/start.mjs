// `npm start`: builds, serves the example fleet, shows the worst examples being refused, and stays up.
// `npm start -- --port 9443` and the like go to `serve`.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';

const bin = 'dist/stageguard.js';
execFileSync(process.execPath, ['tools/build.mjs'], { stdio: 'inherit' });

const shown = [
  ['A snapshot index that KubeFleet will not find', 'examples/bad/run-snapshot-index.yaml'],
  ['Stages that could both claim a cluster', 'examples/bad/strategy-stages-disjoint.yaml'],
  ['A second run of a placement that is being rolled out', 'examples/bad/run-placement-free.yaml'],
  ['A cluster that no stage selects', 'examples/bad/run-cluster-in-some-stage.yaml'],
  ['An approval that KubeFleet would ignore: it is fixed, and admitted', 'examples/reviews/stamp-approval.json'],
];

const guard = spawn(process.execPath, [bin, 'serve', '--fleet', 'examples/fleet', ...process.argv.slice(2)], {
  stdio: ['ignore', 'pipe', 'pipe'],
});
// What the guard logs while the examples are shown would only stand between them; if it fails, it is all there is.
let held = '';
let isShowing = true;
guard.stderr.on('data', (chunk) => {
  if (isShowing) held += chunk;
  else process.stderr.write(chunk);
});
guard.once('exit', (code) => {
  if (isShowing && !isUnread) process.stderr.write(held);
  process.exit(code ?? 0);
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => guard.kill(signal));

// Whoever reads may stop reading (`npm start | head -5`); nobody knows of the guard then, and nobody would end it.
let isUnread = false;
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
    isUnread = true;
    guard.kill();
  });
}

// It says on standard output where it listens, as soon as it does.
const [said] = await once(guard.stdout, 'data');
const url = String(said).trim().split(' ').at(-1).replace('127.0.0.1', 'localhost');

for (const [title, file] of shown) {
  console.log(`\n# ${title}\n$ node ${bin} try ${file}`);
  await once(spawn(process.execPath, [bin, 'try', file, '--server', url], { stdio: 'inherit' }), 'exit');
}
isShowing = false;

console.log(`
stageguard is up, on the fleet of examples/fleet. Ctrl-C ends it. In another terminal:

  node ${bin} try examples/bad/run-cluster-in-one-stage.yaml
  node ${bin} try examples/good/run-explicit-index.yaml
  curl -k -H 'Content-Type: application/json' --data @examples/reviews/stamp-approval.json '${url}/mutate?timeout=5s'
  curl -k -H 'Content-Type: application/json' --data @examples/reviews/run-api-version.json '${url}/validate?timeout=10s'

The fleet, the rules and the last decisions: ${url}/ (the certificate is self-signed)
Metrics: http://localhost:8444/metrics
`);
