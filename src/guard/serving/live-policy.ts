import { policyOf, type Settings } from '../../config/config.js';
import type { Policy } from '../../engine/policy.js';
import type { Hub } from '../../hub/hub.js';
import { HubAgentWatch } from '../../hub/hub-agent.js';
import { VersionWatch } from '../../hub/kubefleet-version.js';
import type { Log } from '../../log.js';

export interface LivePolicyParts {
  readonly hub: Hub;
  readonly settings: Settings;
  readonly log: Log;
}

/** The settings, completed by what the hub itself says: who its agent is, and which KubeFleet that is. */
export class LivePolicy {
  private readonly hubAgent: HubAgentWatch;
  private readonly kubefleet: VersionWatch;

  constructor(private readonly parts: LivePolicyParts) {
    const { hub, settings, log } = parts;
    this.hubAgent = new HubAgentWatch({ hub, log, users: () => settings.current().hubAgent.users });
    this.kubefleet = new VersionWatch({
      hub,
      log,
      settings: () => {
        const { kubefleet, hubAgent } = settings.current();
        return { version: kubefleet.version, deployment: hubAgent.deployment };
      },
    });
  }

  current(): Policy {
    return policyOf(this.parts.settings.current(), this.hubAgent.isConfirmed, this.kubefleet.current.version);
  }

  /** For the metrics. */
  version(): VersionWatch['current'] {
    return this.kubefleet.current;
  }

  start(): void {
    this.hubAgent.start();
    this.kubefleet.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.hubAgent.stop(), this.kubefleet.stop()]);
  }
}
