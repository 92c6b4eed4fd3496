import { statSync } from 'node:fs';

/**
 * Few files run at a time. What takes longest comes first, so that nobody waits for it at the end; and in the long
 * proofs what works hard beside what mostly waits, so that neither runs out of time on two cores.
 */
const first = [
  ...['endurance/install-moments', 'endurance/claims', 'endurance/cert-manager', 'endurance/certificates'],
  ...['e2e/fixes/strict', 'e2e/fixes/fixes', 'e2e/install/by-the-documents', 'e2e/approvals', 'e2e/troubleshooting'],
  ...['e2e/kubectl-ways', 'e2e/gitops', 'e2e/rollout', 'e2e/killed', 'e2e/surroundings', 'e2e/install/accepted'],
  ...['e2e/agent-name', 'e2e/match-conditions', 'e2e/calls', 'claims/model', 'certificates/upkeep'],
].map((name) => `/test/${name}.test.ts`);

export default class Sequencer {
  /** Files that are not named above follow, the largest first. */
  sort(tests) {
    const rank = ({ path }) => {
      const place = first.findIndex((name) => path.endsWith(name));
      return place === -1 ? first.length : place;
    };
    const size = ({ path }) => statSync(path).size;
    return [...tests].sort((one, other) => rank(one) - rank(other) || size(other) - size(one));
  }

  cacheResults() {}
}
