export { classifyTarget, settleName } from './classify-target.ts';
export type {
  Classified,
  LookupAnswer,
  NamedTarget,
  RunTarget,
  TargetRequest,
} from './classify-target.ts';
export {
  missingInputs,
  settingsBesideFile,
  stateBusy,
  workloadExists,
  workloadUnknown,
} from './errors.ts';
export { findImageReference } from './image-reference.ts';
export type { ImageReference } from './image-reference.ts';
export { formatPackage, parsePackage } from './package-reference/parse-package.ts';
export {
  parseEnvironmentFile,
  readEnvironmentFile,
  readEnvironmentFolder,
} from './parse/environment-file.ts';
export type { EnvironmentFolder, Variables } from './parse/environment-file.ts';
export { formatDuration } from './parse/format-duration.ts';
export {
  isReservedLabel,
  LABEL_PREFIX,
  parseEnvironmentVariable,
  parseForwardedHeader,
  parseForwardedHeaderSecret,
  parseLabel,
} from './parse/key-value.ts';
export type { KeyValue } from './parse/key-value.ts';
export { hostInUrl, parseHost } from './parse/listen-host.ts';
export { formatPublishedPort, parsePort, parsePublishedPort } from './parse/published-port.ts';
export type { PublishedPort } from './parse/published-port.ts';
export {
  findSecretReference,
  formatSecretReference,
  parseSecretReference,
} from './parse/secret-reference.ts';
export type { SecretReference } from './parse/secret-reference.ts';
export { formatVolume, parseVolume } from './parse/volume.ts';
export type { PathContext, Volume } from './parse/volume.ts';
export { parsePermissionProfile } from './permissions/parse-permission-profile.ts';
export {
  BUILT_IN_PROFILES,
  chooseProfile,
  findBuiltInProfile,
  networkModeOf,
  withNetworkMode,
} from './permissions/permission-profile.ts';
export type {
  ChosenProfile,
  NetworkMode,
  NetworkPermissions,
  OutboundPermissions,
  PermissionProfile,
  ProfileOrigin,
} from './permissions/permission-profile.ts';
export { profileDocument } from './permissions/profile-document.ts';
export { addVolumes, mountsOfProfile } from './permissions/profile-mounts.ts';
export type { ProfileMounts, ProfileWithVolumes } from './permissions/profile-mounts.ts';
export { readPermissionProfile } from './permissions/read-permission-profile.ts';
export { fillTemplate } from './registry-entry/entry-input.ts';
export type { Answers, EntryInput, Template } from './registry-entry/entry-input.ts';
export { fillServerSettings, findMissingInputs } from './registry-entry/fill-server-settings.ts';
export type { FilledSettings, GivenValues, SecretToStore } from './registry-entry/fill-server-settings.ts';
export { readServerSettings } from './registry-entry/read-server-settings.ts';
export type {
  EntryArgument,
  NamedValue,
  ServerForm,
  ServerSettings,
} from './registry-entry/server-settings.ts';
export {
  checkRunConfig,
  PROXY_MODES,
  STDIO_SESSIONS,
  TRANSPORTS,
  VERIFICATION_MODES,
} from './run-config/check-run-config.ts';
export type {
  ProxyMode,
  StdioSessions,
  TransportName,
  VerificationMode,
} from './run-config/check-run-config.ts';
export { formatRunConfig, runConfigDocument } from './run-config/format-run-config.ts';
export { findClearSecrets, isCredentialHeader, liftSecrets } from './run-config/lift-secrets.ts';
export type { LiftedConfig, LiftedSecret } from './run-config/lift-secrets.ts';
export { normalizeRunConfig } from './run-config/normalize-run-config.ts';
export { parseRunConfig } from './run-config/parse-run-config.ts';
export type { ParsedRunConfig } from './run-config/parse-run-config.ts';
export type {
  HeaderForward,
  IgnoreConfig,
  OidcConfig,
  RuntimeConfig,
  ToolOverride,
} from './run-config/parts.ts';
export { createRunConfig, RUN_CONFIG_VERSION } from './run-config/run-config.ts';
export type { RunConfig } from './run-config/run-config.ts';
export { exportRunConfig, readRunConfigFile } from './run-config/run-config-file.ts';
export { FLAG_NAMES } from './run-request.ts';
export type { RunFlags, RunRequest } from './run-request.ts';
export { chooseProxyMode, chooseTargetPort, chooseTransport } from './settings/choose-transport.ts';
export type { TargetPortFacts, TransportFacts } from './settings/choose-transport.ts';
export { decideIsolation } from './settings/decide-isolation.ts';
export type { DecidedIsolation, IsolationFacts } from './settings/decide-isolation.ts';
export { mergeEnvironment } from './settings/merge-environment.ts';
export type { EnvironmentLayers } from './settings/merge-environment.ts';
export { proxyAddress } from './settings/merge-proxy.ts';
export { checkBesideFile, mergeSettings } from './settings/merge-settings.ts';
export type {
  ContainerSettings,
  MergedSettings,
  MergeInput,
  RemoteSettings,
} from './settings/merged-settings.ts';
export type { Setting, SettingOrigin } from './settings/setting.ts';
export { describeTarget, toRunConfig } from './settings/to-run-config.ts';
export type { SettledFacts } from './settings/to-run-config.ts';
export { NO_USER_SETTINGS, readUserSettings } from './settings/user-settings.ts';
export type { UserSettings } from './settings/user-settings.ts';
export { choosePort, FIRST_PORT, isPortFree, LAST_PORT } from './state/choose-port.ts';
export type { PortRequest } from './state/choose-port.ts';
export { directoriesOf, runtimeIdOf } from './state/directories.ts';
export type { Directories, DirectoryFacts } from './state/directories.ts';
export { takeLock, withLock } from './state/file-lock.ts';
export type { FileLock, LockOptions } from './state/file-lock.ts';
export { findProcess, isAlive, ownProcess } from './state/process-identity.ts';
export type { ProcessIdentity } from './state/process-identity.ts';
export { newWorkloadState, WORKLOAD_STATUSES } from './state/workload-state.ts';
export type { WorkloadState, WorkloadStatus } from './state/workload-state.ts';
export { WorkloadStore } from './state/workload-store.ts';
export type { StoredWorkload, WorkloadStoreOptions } from './state/workload-store.ts';
export { writeAtomically } from './state/write-atomically.ts';
export {
  containerNameOf,
  imageNameOfPackage,
  isWorkloadName,
  nameOfEntry,
  nameOfImage,
  nameOfPackage,
  nameOfUrl,
  parseGroupName,
  parseWorkloadName,
} from './workload-name.ts';
export type { NamedWorkload } from './workload-name.ts';
