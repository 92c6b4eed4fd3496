import { configSchema } from '../../config/schema.js';
import { kinds } from '../../fleet/kinds.js';
import { logLevels } from '../../log.js';
import { entries } from '../../config/entries.js';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const anyObject = { type: 'object' } as const;
const texts = { type: 'object', additionalProperties: text } as const;
const objects = { type: 'array', items: anyObject } as const;

type Properties = Readonly<Record<string, object>>;

/** An object with these keys and no others: a misspelt value must not be passed over. */
function section(properties: Properties): object {
  return { type: 'object', additionalProperties: false, properties };
}

/** One whose keys all have defaults, which null would take out. */
function complete(properties: Properties): object {
  return { ...section(properties), required: Object.keys(properties) };
}

function oneOf(values: readonly string[]): object {
  return { type: 'string', enum: values };
}

/** What the chart's values may be; Helm refuses the others before it talks to a hub. */
export function valuesSchema(): object {
  const values = { ...behaviour(), ...pods(), ...surroundings(), ...monitoring() };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'stageguard chart values',
    ...section({
      ...values,
      // Helm hands these to every chart.
      global: anyObject,
    }),
    required: Object.keys(values),
  };
}

function surroundings(): Properties {
  return {
    namespace: complete({ create: flag }),
    serviceAccount: complete({ name: text, annotations: texts }),
    service: complete({ port: { type: 'integer', minimum: 1, maximum: 65_535 } }),
    networkPolicy: complete({ enabled: flag, webhookFrom: objects, metricsFrom: objects }),
  };
}

function monitoring(): Properties {
  return {
    serviceMonitor: complete({
      enabled: flag,
      interval: { type: 'string', pattern: '^[0-9]+(ms|s|m)$' },
      labels: texts,
    }),
    prometheusRule: complete({ enabled: flag, runbookUrl: text, labels: texts }),
    dashboard: complete({ enabled: flag, labels: texts }),
  };
}

function behaviour(): Properties {
  const plurals = kinds.map(({ plural }) => plural);
  return {
    config: configValue(),
    hubAgent: complete({
      users: { type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } },
      deployment: configSchema.properties.hubAgent.properties['deployment'] ?? text,
    }),
    floor: complete({ enabled: flag }),
    notServedKinds: { type: 'array', items: oneOf(plurals) },
    webhook: complete({
      url: { type: 'string', pattern: '^(https://[^?#\\s]+)?$' },
      caBundle: { type: 'string', pattern: '^[A-Za-z0-9+/=]*$' },
      inForce: flag,
    }),
    certificates: complete({ mode: oneOf(['self', 'cert-manager', 'provided']), secretName: text }),
    clientCa: text,
    // Joined by commas when they are handed over.
    clientNames: { type: 'array', items: { type: 'string', pattern: '^[^,\\s]+$' } },
    acceptedRisks: { type: 'array', items: oneOf(['one-replica', 'short-drain', 'namespace-without-pods']) },
    logLevel: oneOf(logLevels),
  };
}

function pods(): Properties {
  return {
    replicaCount: { type: 'integer', minimum: 1, maximum: 20 },
    image: complete({
      repository: text,
      tag: text,
      digest: { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' },
      pullPolicy: oneOf(['Always', 'IfNotPresent', 'Never']),
    }),
    imagePullSecrets: objects,
    resources: anyObject,
    drainSeconds: { type: 'integer', minimum: 0, maximum: 300 },
    priorityClassName: text,
    nodeSelector: texts,
    tolerations: objects,
    affinity: anyObject,
    podAnnotations: texts,
    podLabels: texts,
  };
}

/** The schema of the config file, which knows the ids of the rules here. */
function configValue(): object {
  return withFalseForOff(section(configProperties({ propertyNames: { enum: entries.map(({ id }) => id) } })));
}

/** Properties of the config file; `known` says what the keys of modes may be. */
export function configProperties(known: object): Properties {
  const { properties } = configSchema;
  const { namespaces, namespaceLabels } = properties;
  const withKnown = <T extends { readonly properties: { readonly rules: object } }>(place: T): T => ({
    ...place,
    properties: { ...place.properties, rules: { ...place.properties.rules, ...known } },
  });
  return {
    ...properties,
    rules: { ...properties.rules, ...known },
    namespaces: { ...namespaces, additionalProperties: withKnown(namespaces.additionalProperties) },
    namespaceLabels: { ...namespaceLabels, items: withKnown(namespaceLabels.items) },
  };
}

/** Helm, Argo CD and Flux read YAML 1.1, where `off` without quotes is false. The guard takes that for off, too. */
function withFalseForOff(schema: object): object {
  const isOfOff = (key: string, value: unknown): value is readonly unknown[] =>
    key === 'enum' && Array.isArray(value) && value.includes('off');
  const text = JSON.stringify(schema, (key, value: unknown) => (isOfOff(key, value) ? [...value, false] : value));
  return JSON.parse(text) as object;
}
