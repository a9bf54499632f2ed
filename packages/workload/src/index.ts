export type { PackageBuild } from './build/build-package.ts';
export type { BuildContext, BuildOptions, BuildRequest, BuiltImage } from './build/build-request.ts';
export type { BuildDescription } from './build/describe-build.ts';
export type { ListedImage } from './build/list-built-images.ts';
export type { BuildCertificates } from './build/read-certificates.ts';
export type { ContainerFacts } from './supervisor/container/plan-container.ts';
export type { DoctorCheck, Examined, Finding } from './doctor/finding.ts';
export type { WorkloadAddress } from './clients/client-entry.ts';
export { getClient } from './clients/client-table.ts';
export type { ClientProgram } from './clients/client-table.ts';
export type { ClientStatus, UnregisteredClient } from './clients/register-clients.ts';
export type { ClientsContext } from './clients/update-clients.ts';
export { workloadUnknown } from './state/state-errors.ts';
export { egressPolicyOf } from './supervisor/egress-policy.ts';
export type { EgressFacts } from './supervisor/egress-policy.ts';
export type { Group } from './groups/group-file.ts';
export { DEFAULT_GROUP } from './groups/default-group.ts';
export type { GroupsContext } from './groups/groups.ts';
export type { RemovedGroup } from './run/operations/remove-group.ts';
export type {
  OverlayOptions,
  ResolvedOverlay,
  ResolvedOverlays,
} from './supervisor/overlays/resolve-overlays.ts';
export {
  buildPackage,
  checkRequest,
  chooseNames,
  choosePort,
  chooseSecretsProvider,
  classifyRegistry,
  convertCatalogueFile,
  createGroup,
  deleteSecret,
  describePackageBuild,
  describeRegistryServer,
  describeWorkload,
  examine,
  exportWorkload,
  findSecretUsers,
  findServer,
  getGroup,
  getSecret,
  getSetting,
  importSecrets,
  inspectWorkload,
  listBuiltImages,
  listClients,
  listGroups,
  listSecrets,
  listServers,
  listSettings,
  listWorkloads,
  planRun,
  preloadSupervision,
  provideBuiltImage,
  provideEmptyFile,
  pruneLogs,
  readAuthFile,
  readCertificates,
  registerClient,
  removeGroup,
  removeWorkloads,
  renderExport,
  repairFindings,
  resolveOverlays,
  runWorkload,
  searchServers,
  setAuthFile,
  setBuildVariable,
  setSecret,
  startIdleSupervisor,
  startWorkloads,
  stopWorkloads,
  superviseWorkload,
  unregisterClient,
  unsetAuthFiles,
  unsetBuildVariables,
  updateUserConfig,
  workloadsInGroup,
} from './on-demand.ts';
export type { EnvironmentFolder } from './run/steps/read-environment.ts';
export type { NameChoice } from './run/operations/choose-names.ts';
export type { WorkloadDescription } from './run/operations/describe-workload.ts';
export type { ExportedWorkload, ExportFormat } from './run/operations/export-workload.ts';
export type { OperationResult } from './run/operations/operation-result.ts';
export type { StartResult, StartWorkloadsOptions } from './run/operations/start-workloads.ts';
export type { StopWorkloadsOptions } from './run/operations/stop-workloads.ts';
export type { ListFilter, WorkloadList, WorkloadListing } from './run/operations/workload-listing.ts';
export type { RunObserver, RunQuestion, RunStep } from './run/run-observer.ts';
export type { RunOptions, RunOutcome, StartOptions } from './run/run-options.ts';
export type {
  PlannedBuild,
  PlannedChange,
  PlannedImage,
  PlannedMount,
  PlannedNetwork,
  PlannedOverlay,
  PlannedSetting,
  PlannedTarget,
  PlannedVariable,
  RunPlan,
} from './run/run-plan.ts';
export type { ClassifiedRegistry, ClassifyOptions } from './registry-lookup/classify-registry.ts';
export type { ConvertedFile, ConvertOptions } from './registry-lookup/convert-catalogue-file.ts';
export type { ServerInfo, ServerInput } from './registry-lookup/describe-registry-server.ts';
export type { ListedServer } from './registry-lookup/describe-server.ts';
export type { FoundServer, ServerNotFound } from './registry-lookup/find-server.ts';
export type { ServerListing } from './registry-lookup/list-servers.ts';
export type { LookupContext } from './registry-lookup/lookup-context.ts';
export { chooseProvider } from './secrets/choose-provider.ts';
export type { ProviderFacts } from './secrets/choose-provider.ts';
export type { SecretsContext } from './secrets/resolve-secrets.ts';
export { secretStoreSurroundings } from './secrets/secret-files.ts';
export type { SurroundingsInput } from './secrets/secret-files.ts';
export { checkSecretName } from './secrets/secret-name.ts';
export type { SecretScope } from './secrets/secret-name.ts';
export type { ImportedSecrets } from './secrets/manage-secrets.ts';
export type { SecretValue } from './secrets/store-secrets.ts';
export type { PortRequest } from './state/choose-port.ts';
export { directoriesOf } from './state/directories.ts';
export type { Directories, DirectoryFacts } from './state/directories.ts';
export type { FileLock, LockOptions } from './state/file-lock.ts';
export { ownProcess } from './state/process-identity.ts';
export type { ProcessIdentity } from './state/process-identity.ts';
export type { WorkloadState, WorkloadStatus } from './state/workload-state.ts';
export { WorkloadStore } from './state/workload-store.ts';
export type { StoredWorkload, WorkloadStoreOptions } from './state/workload-store.ts';
export type { LaunchedSupervisor, LaunchOptions } from './supervisor/launch-supervisor.ts';
export type { IdleSupervisor, IdleSupervisorOptions } from './supervisor/idle-supervisor.ts';
export { logFilesOf } from './state/log-files.ts';
export type { LogFiles } from './state/log-files.ts';
export type { SupervisedEnd } from './supervisor/supervised-end.ts';
export type {
  ReportListener,
  SupervisorOrder,
  SupervisorReport,
  SupervisorStep,
} from './supervisor/supervisor-order.ts';
export type {
  OpenSecretStore,
  WorkloadContext,
  WorkloadHooks,
  WorkloadKinds,
} from './workload-context.ts';
export { getKnownSetting, KNOWN_SETTINGS, parseSettingValue } from './state/user-config/known-settings.ts';
export type { FoundSetting, KnownSetting } from './state/user-config/known-settings.ts';
export { getBuildVariable, listBuildVariables, requireAuthFile } from './build/list-build-settings.ts';
export type { BuildVariable, BuildVariableSource } from './build/list-build-settings.ts';
export type { SetSetting } from './state/user-config/list-settings.ts';
export { readUserConfig } from './state/user-config/read-user-config.ts';
export type { SettingEdit, SettingValue } from './state/user-config/update-user-config.ts';
export type { VerificationOutcome, VerificationRequest } from './verification/verify-image.ts';
