import type { Condition } from '../fleet/model.js';
import { plain, quoted } from '../fleet/quoted.js';
import type { MemberReport } from '../fleet/reports.js';
import { isObjectName } from '../fleet/kinds.js';
import { ageOf, ageText, minutes } from './ages.js';
import { conditionEvidence, evidenceOf } from './evidence.js';
import { current, worksOf, type Place, type Trouble } from './trouble.js';
import { afterRepair } from './ways-out.js';

/** A member agent that is not well, or that has not said a word about what it was given. */
export function agentTrouble({ cluster, binding, scene }: Place): Trouble | undefined {
  const silent = worksOf(binding, scene).find((one) => current(one, 'Applied') === undefined);
  const member = scene.reports.members.items.find(({ name }) => name === cluster);
  const against = member && (leaving(member, scene.now) ?? unwell(member, scene.now));
  if (silent === undefined && against === undefined) return undefined;
  return {
    is: against === undefined ? 'slow' : 'hard',
    what: whatOf(cluster, against, silent !== undefined),
    evidence: [
      ...(against?.evidence ?? []),
      ...(silent === undefined ? [] : [evidenceOf(silent, 'status.conditions', 'nothing for this generation')]),
    ],
    fix: afterRepair('See that the member agent runs and reaches the hub.', scene.run, [
      `# on the member cluster${isObjectName(cluster) ? ` ${cluster}` : ''}: kubectl get pods -n fleet-system`,
    ]),
  };
}

function whatOf(cluster: string, against: Against | undefined, isSilent: boolean): string {
  const agent = `the member agent of cluster ${quoted(cluster)}`;
  const unreported = 'has not reported yet on what it was given';
  if (against === undefined) return `${agent} ${unreported}`;
  const who = against.isOfCluster === true ? `cluster ${quoted(cluster)}` : agent;
  return `${who} ${against.what}${isSilent ? `, and ${unreported}` : '; what is said of its resources may be out of date'}`;
}

interface Against extends Pick<Trouble, 'what' | 'evidence'> {
  readonly isOfCluster?: boolean;
}

function leaving(member: MemberReport, now: number): Against | undefined {
  const { deletionTimestamp } = member;
  if (deletionTimestamp === undefined) return undefined;
  const age = ageText(deletionTimestamp, now);
  return {
    what: `is leaving the fleet${age === undefined ? '' : `, for ${age}`}`,
    evidence: [evidenceOf(member, 'metadata.deletionTimestamp', plain(deletionTimestamp))],
    isOfCluster: true,
  };
}

/** What speaks against a member agent, by its own last words. */
function unwell(member: MemberReport, now: number): Against | undefined {
  const { lastHeartbeat = '', heartbeatSeconds, agent } = member;
  const longest = Math.max(3 * heartbeatSeconds * 1000, 3 * minutes);
  if ((ageOf(lastHeartbeat, now) ?? Infinity) > longest) {
    const field = 'status.agentStatus[MemberAgent].lastReceivedHeartbeat';
    const age = ageText(lastHeartbeat, now);
    return {
      what: age === undefined ? 'has never been heard of' : `was last heard of ${age} ago`,
      evidence: [evidenceOf(member, field, plain(lastHeartbeat || 'none'))],
    };
  }
  const bad = agent.find(({ status }) => status !== 'True');
  return bad && { what: `says ${plain(bad.type)}=${plain(bad.status)}`, evidence: [agentEvidence(member, bad)] };
}

function agentEvidence(member: MemberReport, condition: Condition): ReturnType<typeof conditionEvidence> {
  const field = `status.agentStatus[MemberAgent].conditions[${plain(condition.type)}]`;
  return { ...conditionEvidence(member, condition), field };
}
