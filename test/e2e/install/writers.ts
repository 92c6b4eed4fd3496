import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Hub } from '../harness/hub.js';
import { headOf, pathOf } from '../harness/paths.js';

const strategies = pathOf('UpdateStrategy', undefined);

const strategy = (name: string, stages: readonly object[]): object => ({
  ...headOf('UpdateStrategy', undefined),
  metadata: { name },
  spec: { stages },
});

/** Refused by the guard alone: the policies of the floor let it through. */
const overlapping = ['canary', 'all'].map((name) => ({ name, labelSelector: {} }));

/** People at work: one writes what is right, again and again, and one what the guard refuses. */
export class Writers {
  /** Right writes that did not go through, and wrong ones that failed in another way than by the guard's word. */
  readonly faults: string[] = [];
  written = 0;
  refused = 0;
  letThrough = 0;
  private isStopped = false;
  private readonly loops: Promise<void>[];

  constructor(private readonly hub: Hub) {
    this.loops = [this.repeat(() => this.writeRight()), this.repeat(() => this.writeWrong())];
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all(this.loops);
  }

  private async repeat(write: () => Promise<void>): Promise<void> {
    while (!this.isStopped) {
      await write();
      await sleep(10);
    }
  }

  private async writeRight(): Promise<void> {
    const name = `right-${randomUUID()}`;
    const stages = [{ name: 'canary', labelSelector: { matchLabels: { ring: 'canary' } } }];
    const { status, body } = await this.hub.api('alice').create(strategies, strategy(name, stages));
    if (status === 201) this.written++;
    else this.faults.push(`${status}: ${String(body['message'])}`);
  }

  private async writeWrong(): Promise<void> {
    const { status, body } = await this.hub
      .api('alice')
      .create(`${strategies}?dryRun=All`, strategy('wrong', overlapping));
    const message = String(body['message']);
    if (status === 201) this.letThrough++;
    else if (status === 403 && message.includes('denied the request')) this.refused++;
    else this.faults.push(`${status}: ${message}`);
  }
}
