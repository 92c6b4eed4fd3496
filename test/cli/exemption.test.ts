import { expect, test } from '@jest/globals';
import { run } from '../support/captured-io.js';
import { scopes } from '../support/scopes.js';

test.each(scopes)('check honours no exemption, and says so where one is asked for, $name', async (scope) => {
  const manifest = (bypass: string): string =>
    JSON.stringify({
      apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
      kind: scope.kind('UpdateStrategy'),
      metadata: { name: 'rings', namespace: scope.namespace, annotations: { 'stageguard.io/bypass': bypass } },
      spec: { stages: [] },
    });
  const told = 'Whether stageguard.io/bypass exempts it, is decided by the rights of whoever applies it.';
  const asked = await run(['check', '-'], { input: manifest('strategy-stages-present: drill') });
  expect(asked).toMatchObject({ code: 1, out: expect.stringContaining(told) });
  const other = await run(['check', '-'], { input: manifest('strategy-size: drill') });
  expect(other).toMatchObject({ code: 1, out: expect.not.stringContaining(told) });
});
