import { anyName, isCommand, setState } from '../wording/commands.js';
import { fixWith } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';

export default defineRule({
  id: 'run-not-started',
  title: 'A new run is started',
  severity: 'warn',
  appliesTo: [{ family: 'UpdateRun', operations: ['CREATE'] }],
  after: ['run-api-version'],
  reads: [],
  why:
    'KubeFleet prepares a run in state Initialize, which is the default, or Stop, and then waits without a word. ' +
    'Nothing is rolled out until someone sets the state to Run.',
  fix: 'Set state: Run in the manifest if the run should start at once.',

  *check({ object: run, name, namespace }) {
    const { state } = run.spec;
    if (state === 'Run') return;
    // The command stands in the message, because a warning carries nothing else.
    const command = setState(name || anyName, namespace, 'Run');
    const start = isCommand(command) ? `to start it: ${command}` : 'to start it, set its spec.state to Run';
    yield {
      path: ['spec', 'state'],
      message: `state ${state} starts nothing; ${start}`,
      fix: fixWith('Set this in the manifest if the run should start at once.', 'state: Run'),
      edit: { of: 'value', to: 'Run' },
    };
  },
});
