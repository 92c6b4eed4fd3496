import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Connection } from '../../src/hub/connection.js';
import { findVersion, VersionWatch } from '../../src/hub/kubefleet-version.js';
import { RecordingLog } from '../support/guard.js';
import { scaledClock } from '../support/scaled-clock.js';
import { ScriptedApi, type Json } from '../support/scripted-api.js';
import { until } from '../support/until.js';

const agent = 'fleet-system/hub-agent';
const { signal } = new AbortController();
let api: ScriptedApi;
let hub: Connection;

beforeEach(async () => {
  api = await ScriptedApi.start();
  hub = new Connection({ kubeconfig: api.kubeconfig() });
});
afterEach(async () => {
  await hub.close();
  await api.stop();
});

const put = (...containers: readonly Json[]): void => {
  const deployment = { spec: { template: { spec: { containers } } } };
  api.pages.set('/apis/apps/v1/namespaces/fleet-system/deployments/hub-agent', deployment);
};
const putImage = (image: string): void => {
  put({ name: 'hub-agent', image });
};
const patterns = {
  'v0.3.1': '^0|([0-9]+(\\.[0-9]+)?(s|m|h))+$',
  main: '^(?:(?:0|[1-9][0-9]*)(\\.[0-9]+)?(?:s|m|h))+$',
};
const putDefinitions = (pattern: string): void => {
  const below = (name: string, schema: Json): Json => ({ properties: { [name]: schema } });
  const tasks = below('afterStageTasks', { type: 'array', items: below('waitTime', { type: 'string', pattern }) });
  const strategy = below('spec', below('stages', { type: 'array', items: tasks }));
  api.pages.set('/openapi/v3/apis/placement.kubernetes-fleet.io/v1beta1', {
    components: { schemas: { 'io.kubernetes-fleet.placement.v1beta1.ClusterStagedUpdateStrategy': strategy } },
  });
};

describe('the version of a hub', () => {
  test.each([
    ['ghcr.io/kubefleet-dev/kubefleet/hub-agent:v0.3.1', 'v0.3.1'],
    ['hub-agent:v0.3.1', 'v0.3.1'],
    ['registry.example:5000/hub-agent:0.4.0', '0.4.0'],
    ['registry.example/hub-agent:v0.3.1@sha256:0123456789abcdef', 'v0.3.1'],
    ['hub-agent:v0.9.0-rc.1', 'v0.9.0-rc.1'],
  ])('is the tag of %s', async (image, version) => {
    putImage(image);
    putDefinitions(patterns.main);
    const because = `Deployment fleet-system/hub-agent runs ${image}`;
    expect(await findVersion(hub, agent, signal)).toEqual({ version, by: 'image', because });
    expect(api.requests.map(({ path }) => path)).not.toContain(
      '/openapi/v3/apis/placement.kubernetes-fleet.io/v1beta1',
    );
  });

  test.each([
    ...['hub-agent', 'hub-agent:latest', 'hub-agent:main', 'hub-agent:1a2b3c4', 'hub-agent:20260820'],
    ...['hub-agent@sha256:0123456789abcdef', 'registry.example:5000/hub-agent', 'hub-agent:v0.3.1-7-g1a2b3c4', ''],
  ])('is unknown, and not newer, by an image such as "%s"', async (image) => {
    putImage(image);
    const because = `the image of Deployment fleet-system/hub-agent names no version (${image})`;
    expect(await findVersion(hub, agent, signal)).toEqual({ version: 'auto', by: 'nothing', because });
  });

  test.each(Object.entries(patterns))(
    'is %s by the definitions, where the image says nothing',
    async (version, pattern) => {
      putImage('hub-agent:latest');
      putDefinitions(pattern);
      expect(await findVersion(hub, agent, signal)).toMatchObject({ version, by: 'definitions' });
      api.pages.delete('/apis/apps/v1/namespaces/fleet-system/deployments/hub-agent');
      expect(await findVersion(hub, agent, signal)).toMatchObject({ version, by: 'definitions' });
    },
  );

  test('is unknown by definitions that nobody has seen', async () => {
    putDefinitions('^[0-9]+s$');
    expect(await findVersion(hub, agent, signal)).toMatchObject({ version: 'auto', by: 'nothing' });
  });

  test('is that of the hub agent, whatever runs beside it', async () => {
    put({ name: 'proxy', image: 'proxy:v9.0.0' }, { name: 'hub-agent', image: 'hub-agent:v0.3.0' });
    expect(await findVersion(hub, agent, signal)).toMatchObject({ version: 'v0.3.0' });
    put({ name: 'proxy', image: 'proxy:v9.0.0' }, { name: 'manager', image: 'hub-agent:v0.3.0' });
    expect(await findVersion(hub, agent, signal)).toMatchObject({ version: 'auto' });
    put({ name: 'manager', image: 'hub-agent:v0.3.0' });
    expect(await findVersion(hub, agent, signal)).toMatchObject({ version: 'v0.3.0' });
  });

  test.each<[string, unknown]>([
    ['nothing', {}],
    ['no pods', { spec: 1 }],
    ['no containers', { spec: { template: { spec: { containers: 'x' } } } }],
    ['a container that is none', { spec: { template: { spec: { containers: [7] } } } }],
  ])('is unknown by a Deployment of %s', async (_, json) => {
    api.pages.set('/apis/apps/v1/namespaces/fleet-system/deployments/hub-agent', json as Json);
    expect(await findVersion(hub, agent, signal)).toMatchObject({ version: 'auto', by: 'nothing' });
  });

  test('is unknown without the right to look, and without a Deployment', async () => {
    api.faults.get.push({ is: 'status', status: 403 });
    expect(await findVersion(hub, agent, signal)).toMatchObject({
      version: 'auto',
      because: 'Deployment fleet-system/hub-agent may not be read',
    });
    expect(await findVersion(hub, agent, signal)).toMatchObject({
      version: 'auto',
      because: 'Deployment fleet-system/hub-agent does not exist',
    });
  });

  test('is asked of nobody where no Deployment is named', async () => {
    putDefinitions(patterns['v0.3.1']);
    expect(await findVersion(hub, '', signal)).toMatchObject({ version: 'v0.3.1', by: 'definitions' });
    expect(api.requests).toHaveLength(1);
  });

  test('is no answer while the hub is out of order', async () => {
    api.faults.get.push({ is: 'status', status: 503 });
    await expect(findVersion(hub, agent, signal)).rejects.toThrow('503');
  });
});

describe('a guard that runs', () => {
  const settings = { version: 'auto', deployment: agent };
  const linesOf = (log: RecordingLog) =>
    log.lines
      .filter(({ level }) => level !== 'debug')
      .map(({ level, fields, message }) => [level, fields['version'], fields['by'], message]);

  test('follows the hub, says what it has found and how, and keeps it through an outage', async () => {
    const log = new RecordingLog();
    const watch = new VersionWatch({ hub, log, settings: () => settings, clock: scaledClock(10_000) });
    expect(watch.current).toMatchObject({ version: 'auto', by: 'nothing' });
    putImage('hub-agent:v0.3.1');
    watch.start();
    await until(() => watch.current.version === 'v0.3.1');
    api.faults.get.push({ is: 'status', status: 503 }, { is: 'cut' });
    const asked = api.count('get');
    await until(() => api.count('get') > asked + 3);
    expect(watch.current.version).toBe('v0.3.1');
    putImage('hub-agent:v0.9.0');
    await until(() => watch.current.version === 'v0.9.0');
    putImage('hub-agent:v0.1.0');
    await until(() => watch.current.version === 'v0.1.0');
    putImage('hub-agent:latest');
    await until(() => watch.current.version === 'auto');
    await watch.stop();
    expect(linesOf(log)).toEqual([
      ['info', 'v0.3.1', 'image', 'the version of KubeFleet is known'],
      ['warn', 'v0.9.0', 'image', 'this KubeFleet is newer than the guard knows: rules in flux there only warn'],
      ['warn', 'v0.1.0', 'image', 'this KubeFleet is older than those that the rules are made for'],
      ['info', 'auto', 'nothing', 'the version of KubeFleet is not known: it is taken to be newer than v0.3.1'],
    ]);
  });

  test('does as the settings say, and warns where the hub shows another', async () => {
    const log = new RecordingLog();
    const pinned = { ...settings, version: 'v0.3.0' };
    const watch = new VersionWatch({ hub, log, settings: () => pinned, clock: scaledClock(10_000) });
    putImage('hub-agent:v0.3.1');
    expect(watch.current).toEqual({ version: 'v0.3.0', by: 'settings' });
    watch.start();
    await until(() => linesOf(log).length === 1);
    putImage('hub-agent:v0.3.0');
    await until(() => linesOf(log).length === 2);
    expect(watch.current).toEqual({ version: 'v0.3.0', by: 'settings' });
    await watch.stop();
    expect(linesOf(log)).toEqual([
      ['warn', 'v0.3.0', 'settings', 'the settings name another version of KubeFleet than the hub shows'],
      ['info', 'v0.3.0', 'settings', 'the version of KubeFleet is known'],
    ]);
  });
});
