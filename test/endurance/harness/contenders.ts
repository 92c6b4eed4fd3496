import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../../e2e/harness/api.js';
import { conditionNow, isTrue, type Condition } from '../../e2e/harness/hub-objects.js';
import type { Hub } from '../../e2e/harness/hub.js';
import { pathOf, type Scope } from '../../e2e/harness/paths.js';
import { run } from '../../e2e/harness/world.js';

/** What they write about. All of it is there before they begin. */
export interface Contested {
  readonly scope: Scope;
  /** A placement that is free, and one whose run is active all the time. */
  readonly free: string;
  readonly held: string;
  readonly strategy: string;
  /** An approval request of a gate that the active run has reached. */
  readonly request: string;
}

/** Of these, each wants what only one can have. */
const rivals = 3;

/**
 * People who start runs of one placement at the same time and end them, start runs of a placement that is taken, and
 * approve in too few words, all of it again and again.
 */
export class Contenders {
  /** What no guard may say or do, whatever happens to it. */
  readonly faults: string[] = [];
  /** Runs that got their placement. */
  started = 0;
  /** Runs that were told that theirs is taken. */
  refused = 0;
  /** Approvals that the guard completed. */
  stamped = 0;
  private isStopped = false;
  private readonly loops: readonly Promise<void>[];

  constructor(
    private readonly hub: Hub,
    contested: readonly Contested[],
  ) {
    this.loops = contested.flatMap((one) => [
      ...Array.from({ length: rivals }, () => this.repeat(() => this.startAndEnd(one))),
      this.repeat(() => this.startWhatIsTaken(one)),
      this.repeat(() => this.approve(one)),
    ]);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all(this.loops);
  }

  private async repeat(act: () => Promise<void>): Promise<void> {
    while (!this.isStopped) {
      try {
        await act();
      } catch (error) {
        this.faults.push(String(error));
      }
      await sleep(100 + Math.random() * 200);
    }
  }

  private async startAndEnd({ scope, free, strategy }: Contested): Promise<void> {
    const name = `run-${randomUUID()}`;
    const answer = await this.start(
      scope,
      run(scope, name, { placementName: free, stagedRolloutStrategyName: strategy }),
    );
    if (answer.status === 403) this.refused++;
    if (answer.status !== 201) return;
    // Whoever is told that it is stored finds it stored.
    const path = pathOf('UpdateRun', scope, name);
    const alice = this.hub.api('alice');
    const found = await alice.get(path);
    if (found.status !== 200) this.faults.push(`${name} is lost: ${found.status}`);
    this.started++;
    await sleep(Math.random() * 100);
    if (Math.random() < 0.5) this.expect(200, await alice.patch(path, 'merge', { spec: { state: 'Stop' } }));
    this.expect(200, await alice.delete(path));
  }

  private async startWhatIsTaken({ scope, held, strategy }: Contested): Promise<void> {
    const object = run(scope, `run-${randomUUID()}`, { placementName: held, stagedRolloutStrategyName: strategy });
    const answer = await this.start(scope, object);
    if (answer.status === 403) this.refused++;
    else if (answer.status === 201) this.faults.push(`a second run of ${held} was stored`);
  }

  /** As client-go does it: whoever is told to come back does so. */
  private async start(scope: Scope, object: object): Promise<Answer> {
    for (;;) {
      const answer = await this.hub.api('alice').create(pathOf('UpdateRun', scope), object);
      if (answer.status === 429 && !this.isStopped) {
        await sleep(Number(answer.retryAfter ?? 1) * 250);
        continue;
      }
      const message = String(answer.body['message']);
      const isSaidByGuard = answer.status === 403 && message.includes('denied the request');
      if (!isSaidByGuard && ![201, 429].includes(answer.status)) this.faults.push(`${answer.status}: ${message}`);
      return answer;
    }
  }

  /** Without `observedGeneration`, so that KubeFleet would not hear it; the hub agent has taken the last one away. */
  private async approve({ scope, request }: Contested): Promise<void> {
    const path = pathOf('ApprovalRequest', scope, `${request}/status`);
    this.expect(200, await this.hub.api('hubAgent').patch(path, 'merge', { status: { conditions: [] } }));
    const status = { conditions: [conditionNow('Approved')] };
    const answer = await this.hub.api('alice').patch(path, 'merge', { status });
    this.expect(200, answer);
    const { conditions } = (answer.body['status'] ?? {}) as { conditions?: Condition[] };
    const isStamped =
      isTrue(conditions, 'Approved') && conditions?.every((each) => each.observedGeneration !== undefined);
    if (isStamped === true) this.stamped++;
    else this.faults.push(`an approval was not completed: ${JSON.stringify(answer.body['status'])}`);
  }

  private expect(status: number, answer: Answer): void {
    if (answer.status !== status)
      this.faults.push(`${answer.path}: ${answer.status}: ${String(answer.body['message'])}`);
  }
}
