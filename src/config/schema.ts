import { freezePattern } from '../engine/freeze.js';
import { defaultPolicy, modes } from '../engine/policy.js';

/**
 * What the server takes on where nobody has set anything. The largest review that the API server can send: etcd takes
 * 1.5 MiB an object; a review holds two of them, object and oldObject, as JSON, which is up to twice the stored form where
 * much has to be escaped. That makes 6 MiB, and one more for the rest of the request (userInfo, options). 200 requests are
 * what the API server sends at once under heavy load (its own limit of mutating requests).
 */
export const defaultLimits = { inFlight: 200, bodyBytes: 7 * 1024 * 1024 } as const;

const ruleModes = {
  type: 'object',
  additionalProperties: { enum: [...modes] },
  default: {},
} as const;

const defaultMode = { enum: [...modes], description: 'No rule that is not named here is harder than this.' } as const;

/** A label of Kubernetes, with its value. Read by Helm too, whose patterns know no lookahead. */
const labelName = '[A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?';
const labelPattern = `^([-.a-z0-9]{1,253}/)?${labelName}=(${labelName})?$`;

const freezeTime = {
  type: 'string',
  pattern: freezePattern,
  description: 'a time such as 2026-12-24T18:00, or each week Fri 18:00',
} as const;

const seconds = (value: number, description: string) =>
  ({ type: 'integer', minimum: 1, maximum: 86_400, default: value, description }) as const;

function section(description: string, properties: Record<string, object>) {
  return { type: 'object', additionalProperties: false, default: {}, description, properties } as const;
}

/** How ajv is to read the schema below. */
export const ajvOptions = { allErrors: true, useDefaults: true, verbose: true, strict: true } as const;

/** The JSON schema of the config file (draft 7); schemas/config.schema.json is written from it. */
export const configSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'https://stageguard.io/schemas/config.schema.json',
  title: 'stageguard config',
  type: 'object',
  additionalProperties: false,
  properties: {
    $schema: { type: 'string', maxLength: 2_048, description: 'For editors; nothing else reads it.' },
    defaultMode: {
      ...defaultMode,
      default: defaultPolicy.defaultMode,
      description:
        'No rule that is not named is harder than this: audit or warn while the guard is new. deny leaves each rule its own mode.',
    },
    rules: { ...ruleModes, description: 'The mode of a rule, by its id, where it is not the default of the rule.' },
    namespaces: {
      type: 'object',
      description: 'Modes for the objects of one namespace, by its name. They go before the general ones.',
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        properties: { defaultMode, rules: ruleModes },
      },
      default: {},
    },
    namespaceLabels: {
      type: 'array',
      description:
        'The same for namespaces that have a label; the first that says something about a rule decides, after what is set by name. The guard reads the namespaces of the hub then.',
      maxItems: 32,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['label'],
        properties: {
          label: { type: 'string', pattern: labelPattern, description: 'a label with its value, such as tier=prod' },
          defaultMode,
          rules: ruleModes,
        },
      },
      default: [],
    },
    concurrency: {
      enum: ['exclusive', 'compatible', 'off'],
      default: defaultPolicy.concurrency,
      description:
        'How many active runs a placement may have: one; several with equal strategy and equal explicit snapshot index; any.',
    },
    freeze: {
      type: 'array',
      description: 'Times in which no run is started. Stopping, deleting and rolling back always work.',
      maxItems: 64,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'from', 'until'],
        properties: {
          name: { type: 'string', minLength: 1, maxLength: 63, description: 'What it is called in a refusal.' },
          from: freezeTime,
          until: freezeTime,
          timeZone: {
            type: 'string',
            minLength: 1,
            maxLength: 64,
            default: 'UTC',
            description: 'Such as Europe/Berlin.',
          },
          reason: { type: 'string', maxLength: 200, description: 'Why, for whoever is refused.' },
          namespaces: {
            type: 'array',
            items: { type: 'string', minLength: 1, maxLength: 63 },
            minItems: 1,
            maxItems: 1_000,
            description: 'Only runs in these namespaces; without it also those of cluster scope.',
          },
          placementLabels: {
            type: 'object',
            additionalProperties: { type: 'string', maxLength: 63 },
            minProperties: 1,
            maxProperties: 16,
            description: 'Only runs of placements that have all these labels.',
          },
        },
      },
      default: [],
    },
    kubefleet: section('The KubeFleet of the hub; some verdicts depend on it.', {
      version: {
        type: 'string',
        // Read by Helm too, whose patterns know no lookahead; fleet/versions.ts reads the same.
        pattern: '^(auto|main|v?[0-9]{1,3}\\.[0-9]{1,3}(\\.[0-9]{1,3})?([-+][-+.0-9A-Za-z]{0,64})?)$',
        default: defaultPolicy.kubefleet.version,
        description: 'auto, main, or a version such as v0.3.1',
      },
    }),
    claims: section('How a placement is held for the run that is to start.', {
      settleSeconds: seconds(
        60,
        'How long an admitted write may take to be stored: the request timeout of the API server.',
      ),
      whenUnavailable: {
        enum: ['retry', 'admit'],
        default: 'retry',
        description: 'What becomes of a start while claims cannot be written.',
      },
    }),
    undetermined: section('What becomes of a deny rule that cannot tell, because a fact it needs is not to be had.', {
      default: { enum: ['retry', 'warn'], default: defaultPolicy.undetermined.default },
      rules: { type: 'object', additionalProperties: { enum: ['retry', 'warn'] }, default: {} },
    }),
    hubAgent: section('Who writes as KubeFleet itself.', {
      // The API server asks about each of them, and has a budget for that.
      users: {
        type: 'array',
        items: { type: 'string', minLength: 1 },
        maxItems: 16,
        default: [...defaultPolicy.hubAgent.users],
      },
      confirmed: {
        enum: ['auto', true, false],
        default: 'auto',
        description:
          'Whether these names are known to be right; auto asks the hub. Until then, rules about them only warn.',
      },
      deployment: {
        type: 'string',
        pattern: '^([-a-z0-9]{1,63}/[-.a-z0-9]{1,253})?$',
        default: 'fleet-system/hub-agent',
        description: 'NAMESPACE/NAME of its Deployment, whose image tells the version of KubeFleet, or nothing',
      },
    }),
    exemptions: section('What may be bypassed by whoever has the right to.', {
      gates: {
        type: 'array',
        items: { type: 'string', minLength: 1 },
        maxItems: 64,
        default: [],
        description:
          'Rules about approvals and the status of runs, by their ids: without this, nobody may bypass them.',
      },
    }),
    retry: section('How clients are asked to send again what will heal by itself.', {
      defaultSeconds: seconds(defaultPolicy.retry.defaultSeconds, 'The wait that is asked for.'),
      maxAgeSeconds: seconds(defaultPolicy.retry.maxAgeSeconds, 'What has not healed after this is refused for good.'),
    }),
    limits: section('What the server takes on.', {
      inFlight: {
        type: 'integer',
        minimum: 1,
        maximum: 10_000,
        default: defaultLimits.inFlight,
        description: 'Reviews at one time.',
      },
      bodyBytes: {
        type: 'integer',
        minimum: 65_536,
        // More than the API server can send would only be time that one review takes from all others.
        maximum: defaultLimits.bodyBytes,
        default: defaultLimits.bodyBytes,
        description: 'The largest review.',
      },
    }),
    message: section('What people read.', {
      footer: {
        type: 'string',
        maxLength: 500,
        default: '',
        description: 'A last line under every refusal, such as where to ask.',
      },
    }),
  },
} as const;
