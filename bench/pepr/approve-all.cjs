// A module of Pepr that approves whatever it is asked; the port is given.
const { Capability, PeprModule, a } = require('pepr');

const approving = new Capability({ name: 'approving', description: 'approves everything', namespaces: [] });
const group = 'placement.kubernetes-fleet.io';
for (const kind of ['ClusterStagedUpdateStrategy', 'ClusterStagedUpdateRun', 'ClusterApprovalRequest']) {
  approving
    .When(a.GenericKind, { group, version: 'v1beta1', kind })
    .IsCreatedOrUpdated()
    .Validate((request) => request.Approve());
}
const pepr = { uuid: 'bench', onError: 'reject', webhookTimeout: 10, alwaysIgnore: { namespaces: [] } };
new PeprModule({ description: 'bench', pepr }, [approving], { deferStart: true }).start(Number(process.argv[2]));
