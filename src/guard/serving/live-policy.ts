import { policyOf, type Settings } from '../../config/config.js';
import type { Policy } from '../../engine/policy.js';
import type { Hub } from '../../hub/hub.js';
import { HubAgentWatch } from '../../hub/hub-agent.js';
import { NamespaceLabels } from '../../hub/namespace-labels.js';
import { VersionWatch } from '../../hub/kubefleet-version.js';
import type { Log } from '../../log.js';

export interface LivePolicyParts {
  readonly hub: Hub;
  readonly settings: Settings;
  readonly log: Log;
}

/** The settings, completed by what the hub itself says: who its agent is, which KubeFleet that is, and the labels of namespaces. */
export class LivePolicy {
  private readonly hubAgent: HubAgentWatch;
  private readonly kubefleet: VersionWatch;
  private readonly namespaces: NamespaceLabels;

  constructor(private readonly parts: LivePolicyParts) {
    const { hub, settings, log } = parts;
    this.hubAgent = new HubAgentWatch({ hub, log, users: () => settings.current().hubAgent.users });
    this.namespaces = new NamespaceLabels({
      hub,
      log,
      isWanted: () => settings.current().namespaceLabels.length > 0,
    });
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
    return policyOf(this.parts.settings.current(), {
      isConfirmed: this.hubAgent.isConfirmed,
      version: this.kubefleet.current.version,
      labelsOf: (namespace) => this.namespaces.labelsOf(namespace),
    });
  }

  /** For the metrics. */
  version(): VersionWatch['current'] {
    return this.kubefleet.current;
  }

  /** What has to be known before anything is judged, and is not yet. */
  missing(): readonly string[] {
    return this.namespaces.missing();
  }

  start(): void {
    this.namespaces.start();
    this.hubAgent.start();
    this.kubefleet.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.namespaces.stop(), this.hubAgent.stop(), this.kubefleet.stop()]);
  }
}
