export type { PackageBuild } from './build/build-package.ts';
export type { BuildContext, BuildOptions, BuildRequest, BuiltImage } from './build/build-request.ts';
export type { BuildDescription } from './build/describe-build.ts';
export type { Examined } from './doctor/finding.ts';
export type { ClientStatus } from './clients/register-clients.ts';
export { hintForWorkload } from './run/hint-of-workload.ts';
export { workloadUnknown } from './state/state-errors.ts';
export { HardeningTap } from './supervisor/container/hardening-tap.ts';
export type { ConsentDecision, ConsentQuestion } from './consent/require-consent.ts';
export type { TrustRecord } from './consent/trust-file.ts';
export type { Person } from './login/person.ts';
export type { Group } from './groups/groups.ts';
export { DEFAULT_GROUP } from './groups/default-group.ts';
export type { WorkloadDescription } from './run/operations/list/describe-workload.ts';
export { type MemberDescription, membersOf } from './run/operations/list/describe-members.ts';
export type { ToolMember } from './run/operations/list/find-tool-members.ts';
export type { PolicyReport, UnknownTool } from './run/operations/check-policies.ts';
export type { TriedAuthorization, TriedRequest } from './run/operations/try-authorization.ts';
export type { ApplyPlan, ApplyAction, PlannedWorkload } from './run/apply/apply-plan.ts';
export type { AppliedWorkload } from './run/apply/apply-workloads.ts';
export type { UpdateOffer } from './run/operations/update/update-offer.ts';
export type { OperationResult } from './run/operations/operation-result.ts';
export type { WorkloadListing } from './run/operations/list/workload-listing.ts';
export type { WorkloadChange } from './run/operations/change-workload.ts';
export type { Difference, RunObserver, RunQuestion } from './run/run-observer.ts';
export type { RunOptions, RunOutcome } from './run/run-options.ts';
export type { ListedTool, PlannedName } from './run/plan/planned-members.ts';
export type {
  PlannedBuild,
  PlannedChange,
  PlannedMember,
  PlannedSetting,
  PlannedVirtualServer,
  RunPlan,
} from './run/run-plan.ts';
export type { CheckedFile } from './run/plan/check-file.ts';
export { noRegistryNamed } from './registry-login/registry-login-errors.ts';
export { chooseProvider } from './secrets/choose-provider.ts';
export { secretStoreContext } from './secrets/secret-files.ts';
export { checkSecretName } from './secrets/secret-name.ts';
export { choosePort } from './state/choose-port.ts';
export { directoriesOf } from './state/directories.ts';
export type { Directories, DirectoryFacts } from './state/directories.ts';
export { ownProcess } from './state/process-identity.ts';
export { writeOutput } from './state/write-output.ts';
export { WorkloadStore } from './state/workload-store.ts';
export type { LaunchedSupervisor, LaunchOptions } from './supervisor/supervisor-process.ts';
export { memberName, workloadOf } from './state/member-name.ts';
export { logFilesOf } from './state/log-files.ts';
export { type LogLine, readStampedLine, readTimedDocument } from './state/log-line.ts';
export type { LogFiles } from './state/log-files.ts';
export type { SupervisedEnd } from './supervisor/process/supervised-end.ts';
export type { MemberValues, SupervisorOrder, SupervisorReport } from './supervisor/supervisor-order.ts';
export type {
  KindSettings,
  OpenAuthProvider,
  OpenSecretStore,
  WorkloadContext,
  WorkloadKinds,
} from './workload-context.ts';
export type { BuildVariable, BuildVariableSource } from './build/build-environment.ts';
export { readUserConfig } from './state/user-config/read-user-config.ts';
