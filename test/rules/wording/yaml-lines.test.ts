import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parse } from 'yaml';
import { yamlLines } from '../../../src/rules/wording/yaml-lines.js';

test('a stage reads as a person would write it', () => {
  const stage = {
    name: 'prod',
    labelSelector: {
      matchLabels: { env: 'prod', 'example.com/live': 'true', y: '' },
      matchExpressions: [
        { key: 'canary', operator: 'NotIn', values: ['true', 'x'] },
        { key: 'legacy', operator: 'DoesNotExist' },
      ],
    },
    maxConcurrency: 5,
    all: {},
  };
  expect(yamlLines([stage])).toEqual([
    '- name: prod',
    '  labelSelector:',
    '    matchLabels:',
    '      env: prod',
    '      example.com/live: "true"',
    '      "y": ""',
    '    matchExpressions:',
    '      - key: canary',
    '        operator: NotIn',
    '        values: ["true", x]',
    '      - key: legacy',
    '        operator: DoesNotExist',
    '  maxConcurrency: 5',
    '  all: {}',
  ]);
});

test.each(['1.1', '1.2'] as const)('YAML %s reads back what was written', (version) => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom(
      'true',
      'No',
      'NULL',
      '~',
      '1',
      '1e3',
      'E0',
      '0x1',
      '1:30',
      '.inf',
      '',
      'a: b',
      '- a',
      'a #b',
      '*a',
      '<<',
    ),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 4 }, text, fc.integer(), fc.boolean(), tie('list'), tie('object')),
    list: fc.array(tie('tree'), { maxLength: 4 }),
    object: fc.dictionary(text, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      expect(parse(yamlLines(value).join('\n'), { version })).toEqual(value);
    }),
    { numRuns: 500 },
  );
});
