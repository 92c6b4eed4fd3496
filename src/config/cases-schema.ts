/** How ajv is to read the schema below. */
export const casesAjvOptions = {
  allErrors: true,
  useDefaults: true,
  verbose: true,
  strict: true,
  allowUnionTypes: true,
} as const;

const manifests = (what: string) =>
  ({
    type: ['string', 'object', 'array'],
    items: { type: ['string', 'object'], description: 'a path or an object' },
    description: `${what}: a path, from the folder of this file, an object, or a list of them`,
  }) as const;

const config = {
  type: ['string', 'object'],
  description: 'settings: the path of a config file, or what it would hold',
} as const;

const rules = (what: string) =>
  ({
    type: 'array',
    items: { type: 'string', minLength: 1 },
    default: [],
    description: `The ids of the rules that ${what}; all of them, and no others.`,
  }) as const;

/** The JSON schema of the cases of `stageguard test` (draft 7); schemas/cases.schema.json is written from it. */
export const casesSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'https://stageguard.io/schemas/cases.schema.json',
  title: 'stageguard test cases',
  type: 'object',
  additionalProperties: false,
  required: ['cases'],
  properties: {
    config,
    given: manifests('the whole hub as it stands'),
    now: {
      type: 'string',
      pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(?:\\.\\d+)?Z$',
      description: 'a moment such as "2026-11-18T12:00:00Z" to judge by; without it, that of the test',
    },
    cases: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'write', 'expect'],
        properties: {
          name: { type: 'string', minLength: 1, description: 'What the case shows.' },
          config,
          given: manifests('the hub of this case, in the place of the general one'),
          write: manifests('what is written: manifests, or AdmissionReviews'),
          operation: { enum: ['apply', 'delete'], default: 'apply' },
          subresource: { enum: ['status'], description: 'Where the write goes, if not to the object itself.' },
          user: {
            type: 'string',
            minLength: 1,
            description: 'Who writes, where that matters; it is judged as an API server would ask about it.',
          },
          expect: {
            type: 'object',
            additionalProperties: false,
            description: 'What the rules say; nothing, where it is empty.',
            properties: {
              refused: rules('refuse'),
              warned: rules('warn'),
              audited: rules('are recorded and nothing more'),
              unknown: rules('cannot tell, for something they need is not known'),
            },
          },
        },
      },
    },
  },
} as const;
