import fc from 'fast-check';

/** Mostly what is right, now and then what is not. */
export const mostly = <T>(good: fc.Arbitrary<T>, ...bad: unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 4, arbitrary: good }, { weight: 1, arbitrary: fc.constantFrom(...bad) });

/** The same where there are many fields: rules between them are only looked at where each of them is right. */
export const nearlyAlways = <T>(good: fc.Arbitrary<T>, ...bad: unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 40, arbitrary: good }, { weight: 1, arbitrary: fc.constantFrom(...bad) });

export const text = fc.constantFrom('a', 'shop', '', 'x'.repeat(255));

export const optional = (
  fields: Record<string, fc.Arbitrary<unknown>>,
  requiredKeys: string[] = [],
): fc.Arbitrary<unknown> => fc.record(fields, { requiredKeys });

export const labelSelector = optional({
  matchLabels: mostly(fc.constant({ env: 'prod' }), { env: 1 }, 'x', {}),
  matchExpressions: mostly(
    fc.constantFrom([{ key: 'env', operator: 'In', values: ['a'] }], [{ key: '', operator: 'Foo' }], []),
    [{ key: 'env' }],
    [{ operator: 'In', values: 'a' }],
  ),
});
