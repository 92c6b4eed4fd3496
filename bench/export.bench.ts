// How large a hub is as `stageguard export` prints it: the one that KubeFleet's own scalability report has.
import { listText } from '../src/cli/export.js';
import { exportedObject } from '../src/sources/exported-object.js';
import { largestFile } from '../src/sources/manifests/files.js';
import * as fleet from './large-fleet.js';
import { note, promise } from './promise.js';

const { sizes } = fleet;
/** Runs at work at one time; each has the states of its 100 clusters, which of a run that is over are left out. */
const underWay = 100;

function* objects(): Generator<Readonly<Record<string, unknown>>> {
  yield fleet.strategy;
  const many: readonly (readonly [number, (index: number) => Readonly<Record<string, unknown>>])[] = [
    [sizes.memberClusters, fleet.memberCluster],
    [sizes.placements, fleet.placement],
    [sizes.placements, fleet.policySnapshot],
    [sizes.resourceSnapshots, fleet.resourceSnapshot],
    [sizes.runs - underWay, fleet.run],
    [underWay, fleet.activeRun],
    [sizes.approvals, fleet.approval],
  ];
  for (const [count, make] of many) for (let index = 0; index < count; index++) yield make(index);
  for (let index = 0; index < sizes.placements; index++) yield* fleet.bindings(index);
}

let stored = 0;
const exported = [...objects()].map((object) => {
  stored += JSON.stringify(object).length;
  return exportedObject(fleet.kindNamed(String(object['kind'])), object, 'rules');
});
const mebibytes = (bytes: number): number => Math.round(bytes / 1024 / 1024);

note('objects', String(exported.length));
note('as stored', `${String(mebibytes(stored))} MiB`);
promise('exported', mebibytes(Buffer.byteLength(listText(exported))), { atMost: mebibytes(largestFile), unit: ' MiB' });
