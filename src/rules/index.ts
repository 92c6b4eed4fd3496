import type { Rule } from '../engine/rule.js';
import approvalConditions from './approval/approval-conditions.js';
import approvalCreatedByController from './approval/approval-created-by-controller.js';
import approvalDeleted from './approval/approval-deleted.js';
import approvalHasEffect from './approval/approval-has-effect.js';
import approvalTargetAlive from './approval/approval-target-alive.js';
import evictionInUse from './eviction/eviction-in-use.js';
import memberClusterInUse from './member-cluster/member-cluster-in-use.js';
import placementInUse from './placement/placement-in-use.js';
import runApiVersion from './run/run-api-version.js';
import runApprovalNameTaken from './run/run-approval-name-taken.js';
import runBesideStopping from './run/run-beside-stopping.js';
import runClusterInOneStage from './run/run-cluster-in-one-stage.js';
import runClusterInSomeStage from './run/run-cluster-in-some-stage.js';
import runControllerAlive from './run/run-controller-alive.js';
import runDeleted from './run/run-deleted.js';
import runEmptyStage from './run/run-empty-stage.js';
import runFinished from './run/run-finished.js';
import runFixedFields from './run/run-fixed-fields.js';
import runFrozen from './run/run-frozen.js';
import runHasClusters from './run/run-has-clusters.js';
import runLatestSnapshot from './run/run-latest-snapshot.js';
import runNamespaceOnMembers from './run/run-namespace-on-members.js';
import runNotStarted from './run/run-not-started.js';
import runOverridesApplied from './run/run-overrides-applied.js';
import runPlacementExists from './run/run-placement-exists.js';
import runPlacementExternal from './run/run-placement-external.js';
import runPlacementFree from './run/run-placement-free.js';
import runPlacementScheduled from './run/run-placement-scheduled.js';
import runPlacementSelectors from './run/run-placement-selectors.js';
import runPlanUnchanged from './run/run-plan-unchanged.js';
import runPrunesSnapshot from './run/run-prunes-snapshot.js';
import runRemovesClusters from './run/run-removes-clusters.js';
import runResumeMixesVersions from './run/run-resume-mixes-versions.js';
import runRollsBack from './run/run-rolls-back.js';
import runSnapshotExists from './run/run-snapshot-exists.js';
import runSnapshotIndex from './run/run-snapshot-index.js';
import runSnapshotParts from './run/run-snapshot-parts.js';
import runSortingLabel from './run/run-sorting-label.js';
import runStatusOwner from './run/run-status-owner.js';
import runStopEffect from './run/run-stop-effect.js';
import runStrategyExists from './run/run-strategy-exists.js';
import runStrategyValid from './run/run-strategy-valid.js';
import strategyInUse from './strategy/strategy-in-use.js';
import strategyMaxConcurrency from './strategy/strategy-max-concurrency.js';
import strategySelectorValid from './strategy/strategy-selector-valid.js';
import strategySize from './strategy/strategy-size.js';
import strategySortingKey from './strategy/strategy-sorting-key.js';
import strategyStageNamesUnique from './strategy/strategy-stage-names-unique.js';
import strategyStageSelects from './strategy/strategy-stage-selects.js';
import strategyStagesDisjoint from './strategy/strategy-stages-disjoint.js';
import strategyStagesPresent from './strategy/strategy-stages-present.js';
import strategyTasksValid from './strategy/strategy-tasks-valid.js';
import strategyWaitTime from './strategy/strategy-wait-time.js';

/** Every rule, in the order of the documentation; a rule stands after its premises. */
export const catalogue: readonly Rule[] = [
  runApiVersion,
  runFixedFields,
  runFinished,
  runPlacementExists,
  runFrozen,
  runPlacementExternal,
  runPlacementScheduled,
  runHasClusters,
  runStrategyExists,
  runStrategyValid,
  runClusterInOneStage,
  runClusterInSomeStage,
  runSortingLabel,
  runSnapshotIndex,
  runSnapshotExists,
  runPlacementFree,
  runNotStarted,
  runPlacementSelectors,
  runPlanUnchanged,
  runResumeMixesVersions,
  runRollsBack,
  runBesideStopping,
  runApprovalNameTaken,
  runStatusOwner,
  runEmptyStage,
  runLatestSnapshot,
  runPrunesSnapshot,
  runSnapshotParts,
  runOverridesApplied,
  runRemovesClusters,
  runControllerAlive,
  runStopEffect,
  runNamespaceOnMembers,
  runDeleted,
  strategySize,
  strategyStagesPresent,
  strategyStageNamesUnique,
  strategySelectorValid,
  strategySortingKey,
  strategyStagesDisjoint,
  strategyStageSelects,
  strategyTasksValid,
  strategyWaitTime,
  strategyMaxConcurrency,
  strategyInUse,
  approvalCreatedByController,
  approvalConditions,
  approvalTargetAlive,
  approvalHasEffect,
  approvalDeleted,
  placementInUse,
  memberClusterInUse,
  evictionInUse,
];

/** Ids that were released once and are gone; they are never used again. */
export const retiredIds: ReadonlySet<string> = new Set();
