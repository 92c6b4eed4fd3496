/** The fixes of one rule by what they are for; `…` stands for what differs from one write to the next. */
type Fixes = Readonly<Record<string, string>>;

const fix = 'Correct the strategy, then try again.';

/**
 * Every fix with something to paste that a refusal can print, by the rule that it stands under. The test of a rule fails
 * where the rule prints one that is not here, and test/e2e/fixes where one of these is not executed.
 */
export const printedFixes: Readonly<Record<string, Fixes>> = {
  'approval-conditions': {
    'the writer means yes': 'To approve, set the condition Approved.',
    'the writer means no':
      'Leave this condition out: KubeFleet reads Approved alone, and takes no refusal. To halt run …, stop it.',
  },
  'approval-created-by-controller': {
    'somebody makes one': 'Let KubeFleet make the request. When it is there, approve it.',
  },
  'approval-deleted': {
    'a run waits for it': 'To open the gate, approve the request; to end the rollout, stop or delete the run.',
  },
  'approval-has-effect': {
    'no run looks for it': 'Approve a request that KubeFleet has made.',
    'the run is stopped': 'Start the run when it is to go on.',
    'the answer is no': 'Stop the run.',
  },
  'approval-target-alive': {
    'no run waits for it': 'Delete this request, and approve the one of a run that waits for it.',
    'the run has not got there':
      'KubeFleet has not asked for this request: delete it, and approve the one that comes when the run gets there.',
  },
  'eviction-in-use': {
    'the run is active': 'Let the run finish first, if this can wait.',
    'the run is not started': 'Create a new run after this change, and delete this one.',
  },
  'member-cluster-in-use': {
    'the run is active': 'Let the run finish first, if this can wait.',
    'the run is not started': 'Create a new run after this change, and delete this one.',
  },
  'placement-in-use': {
    'someone deletes it':
      'Let the run finish, then delete the placement. Or give the run up: delete it (nothing is rolled back), then delete the placement.',
    'someone changes it':
      'Let the run finish, then make this change. Or give the run up: delete it (nothing is rolled back), then make this change.',
  },
  'run-api-version': {
    'something is created': 'Create it with this line in its manifest instead.',
    'something is changed': 'Use this line in its manifest, or this command.',
    'the name is too long': 'Give the run a shorter name, such as this.',
  },
  'run-approval-name-taken': {
    'a request is left': 'Delete the approval request, or give the run another name, then apply it again.',
  },
  'run-beside-stopping': {
    'another run is stopping': 'Wait until run … has stopped, or delete it (nothing is rolled back), then try again.',
    'another run is stuck':
      'See why run … hangs and put that right, or delete it (nothing is rolled back), then try again.',
  },
  'run-cluster-in-one-stage': {
    'selectors part the stages': 'Change the label selectors so that no cluster fits two stages, then try again.',
    'labels part the clusters':
      'Change the labels of the clusters (this may take a fleet admin) so that only one stage selects each of them (here …), then try again.',
    'only a person can tell': 'Change the label selector of one of these stages, or remove the stage, then try again.',
  },
  'run-cluster-in-some-stage': {
    'labels will do':
      'Label the clusters (this may take a fleet admin) so that one stage selects each of them (here …), or add a stage that does.',
    'labels will not do':
      'Add a stage whose label selector takes these clusters, or change the policy of the placement so that it leaves them out. These show their labels, and open the stages:',
  },
  'run-controller-alive': {
    'nobody takes up runs':
      'Check that the hub agent runs and has enableStagedUpdateRunAPIs set (this may take a fleet admin).',
  },
  'run-finished': { 'it is over': 'Create a new run, for example this one.' },
  'run-fixed-fields': {
    'the name is taken': 'Create a run with another name, for example this one.',
    'it goes back': 'Keep the state that the run has; a manifest without a state means Initialize.',
    'it was never started': 'The run was never started, so there is nothing to stop: keep its state.',
  },
  'run-has-clusters': {
    'no cluster fits':
      'Join or label clusters so that the policy of the placement picks them, then try again. This shows the policy:',
    'the policy names none': 'Name the clusters that it is to have, wait until it is scheduled, then try again.',
    'the policy names one twice': 'Name each cluster once, wait until the placement is scheduled, then try again.',
    'the policy asks for none': 'Say how many clusters it is to have, wait until it is scheduled, then try again.',
    'one is not bound yet': 'Wait a few seconds, then try again. This shows the clusters of the placement:',
  },
  'run-latest-snapshot': {
    'there is a snapshot':
      'Create the run with state Initialize and check with this command which snapshot it takes. If it is … although the resources have changed, delete the run and create it again 30 seconds later.',
  },
  'run-namespace-on-members': {
    'nothing places it': 'Place the namespace on the member clusters first, for instance with this.',
  },
  'run-not-started': { 'it is created': 'Set this in the manifest if the run should start at once.' },
  'run-placement-exists': {
    'there is none': 'First create …, then try again.',
    'cluster scope has one': 'Make the run a …, or create … first and try again.',
    'the name is empty': 'Name one of these.',
    'it is being deleted': 'Wait until it is gone, create it again, then try again.',
  },
  'run-placement-external': {
    'it rolls out by itself': 'Hand the placement over to staged runs, then try again. This cannot be undone.',
  },
  'run-placement-free': {
    'another run is active':
      'Wait for run …, stop it or delete it (nothing is rolled back), then apply this run again.',
    'another run is active and this one is started':
      'Wait for run …, stop it or delete it (nothing is rolled back), then start this run again.',
    'another run is stuck':
      'See which resource hangs in the status of the placement and fix that, so that run … goes on; or stop or delete the run (nothing is rolled back), then apply this run again.',
    'another run is stuck and this one is started':
      'See which resource hangs in the status of the placement and fix that, so that run … goes on; or stop or delete the run (nothing is rolled back), then start this run again.',
    'another run is being stored': 'Wait: most clients send this again by themselves. Else apply this run again in ….',
    'another run is being stored and this one is started':
      'Wait: most clients send this again by themselves. Else start this run again in ….',
    'the name is taken':
      'Give this run another name, or delete the one that exists (nothing is rolled back), then apply this run again.',
    'the name is being deleted': 'Wait until it is gone, then apply this run again.',
  },
  'run-placement-scheduled': {
    'the policy asks for too much':
      'Ask for fewer clusters or make more of them fit the policy, then try again. This shows which clusters were left out and why:',
    'two policy snapshots are the latest':
      'Leave the label on the newest of them only (this may take a fleet admin), then try again.',
    'the policy names none': 'Name the clusters that it is to have, then try again.',
    'the selectors are bad': 'Fix spec.resourceSelectors of the placement, then try again.',
    'the policy snapshot has no index': 'Put the label back (this may take a fleet admin), then try again.',
    'the policy snapshot has no number': 'Put the number back (this may take a fleet admin), then try again.',
    'the scheduler is not done': 'Wait until the placement is scheduled, then try again.',
  },
  'run-placement-selectors': {
    'they are bad': 'Fix spec.resourceSelectors of the placement, then try again.',
  },
  'run-plan-unchanged': {
    'the stages are others': 'Create a new run, which starts from the fleet as it is now, and delete this one.',
    'all clusters are gone':
      'See to it that the placement picks clusters again, by its policy or their labels; then create a new run, which starts from the fleet as it is now, and delete this one.',
    'the snapshot is broken':
      'Mark the broken snapshot as outdated (this may take a fleet admin), then create a new run, which starts from the fleet as it is now, and delete this one.',
    'labels are wrong':
      'Put the labels of these clusters right and send the same again; if that is still refused, create a new run, which starts from the fleet as it is now, and delete this one.',
  },
  'run-prunes-snapshot': {
    'a run holds it': 'Let the other run finish first, or have the placement keep more snapshots.',
  },
  'run-resume-mixes-versions': {
    'another run has been there':
      'Create a new run, which takes all clusters to one resource snapshot, and delete this one. This one takes them to that of the old run:',
  },
  'run-rolls-back': {
    'a newer snapshot is there':
      'If the clusters are to go back, say so with a new run that names the index, such as this; in any case delete this one.',
  },
  'run-snapshot-exists': {
    'there is another': 'Name one that exists, or leave resourceSnapshotIndex out to roll out the latest resources.',
    'another is whole': 'Name one that is whole.',
    'its master has lost something':
      'Put back what the snapshot has lost (this may take a fleet admin; any text will do for a hash), then try again.',
    'none is whole':
      'Mark snapshot … as outdated (this may take a fleet admin), and remove resourceSnapshotIndex from the run: it then makes a new one.',
    'the index is fixed':
      'The index of a stored run cannot be changed: create this run instead, and delete the stored one.',
    'the latest is broken':
      'Mark snapshot … as outdated (this may take a fleet admin), then try again: it then makes a new one.',
  },
  'run-snapshot-parts': {
    'the hub has overrides':
      'Select less with the placement, so that its snapshot has one part, mark this one as outdated (this may take a fleet admin), and send the run without resourceSnapshotIndex. Or place the resources with a ClusterResourcePlacement and a run of cluster scope, or remove all overrides of the hub.',
  },
  'run-snapshot-index': {
    'it is no number':
      'Leave resourceSnapshotIndex out to roll out the latest resources, or take an index from this list.',
    'it is not plain': 'Write the index without a sign and without leading zeros.',
    'the index is fixed':
      'The index of a stored run cannot be changed: create this run instead, and delete the stored one.',
  },
  'run-sorting-label': {
    'the label is free':
      'Set the label to a whole number on each of these clusters (this may take a fleet admin); lower numbers go first, and with the number below they go last. Or remove sortingLabelKey, so that stage … sorts by name.',
    'the label is not free':
      'Remove sortingLabelKey from stage …, so that it sorts by name, or use another label: this one cannot hold a number, because it cannot be set or a stage selects by it.',
  },
  'run-strategy-exists': {
    'there is none': 'First create …, then try again.',
    'cluster scope has one': 'Make the run a …, or create … first and try again.',
    'the name is empty': 'Name one of these.',
  },
  'run-strategy-valid': {
    'stages share a name': `${fix} Give each stage a name of its own.`,
    'tasks are of one type': `${fix} Remove one of the two … tasks.`,
    'there are no stages': `${fix} List at least one stage; this one takes every cluster of a placement.`,
    'a selector has no values': `${fix} Add the values, or use operator … without values.`,
    'too many clusters move at a time': `${fix} Set the number of clusters that are updated at the same time, or a percentage of them.`,
    'a wait is no time': `${fix} Wait for at least one second, or remove the task.`,
    'a wait is too short': `${fix} Wait for at least one second.`,
  },
  'strategy-in-use': {
    'a run is starting': 'Delete the strategy when the run is initialized, or delete the run first.',
  },
  'strategy-max-concurrency': {
    'it is too much': 'Set the number of clusters that are updated at the same time, or a percentage of them.',
    'it is in quotes': 'Remove the quotes.',
  },
  'strategy-stage-names-unique': { 'two are the same': 'Give the stage a name of its own.' },
  'strategy-stages-disjoint': {
    'one selector will do': 'Give stage … a selector that leaves out ….',
    'it takes more stages': 'Put these … stages in place of stage …; they leave out ….',
  },
  'strategy-stages-present': {
    'there are none': 'List at least one stage; this one takes every cluster of a placement.',
  },
  'strategy-wait-time': {
    'it is no time': 'Wait for at least one second, or remove the task.',
    'it is too short': 'Wait for at least one second.',
    'it cannot be read': 'Write the time in hours, minutes and seconds.',
  },
};

/** Lines to paste, each command as a whole: a text in single quotes may go over several lines. */
export function wholeCommands(lines: readonly string[]): readonly string[] {
  const whole: string[] = [];
  let isOpen = false;
  for (const line of lines) {
    if (isOpen) whole.push(`${whole.pop() ?? ''}\n${line}`);
    else whole.push(line);
    const isCommand = isOpen || line.startsWith('kubectl ');
    if (isCommand && (line.replaceAll("\\'", '').split("'").length - 1) % 2 === 1) isOpen = !isOpen;
  }
  return whole;
}

/** The kind of a line to paste: `kubectl wait`, `# or: kubectl delete`, `yaml`; undefined for a remark. */
export function lineKind(line: string): string | undefined {
  const [command] = /^(?:# (?:or: )?)?kubectl [a-z]+/.exec(line) ?? [];
  return command ?? (line.startsWith('#') ? undefined : 'yaml');
}

/** The name of a fix in the list; undefined where it is not there. */
export function nameOfFix(rule: string, sentence: string): string | undefined {
  const entries = Object.entries(printedFixes[rule] ?? {});
  return entries.find(([, pattern]) => expressionOf(pattern).test(sentence))?.[0];
}

/** The fixes among these that can be pasted and are not in the list. */
export function unlistedFixes(rule: string, fixes: readonly string[]): readonly string[] {
  return fixes.filter((fix) => {
    const [sentence = '', ...lines] = fix.split('\n');
    return lines.some((line) => lineKind(line) !== undefined) && nameOfFix(rule, sentence) === undefined;
  });
}

function expressionOf(pattern: string): RegExp {
  const parts = pattern.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.+')}$`);
}
