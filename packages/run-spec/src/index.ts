export { FieldReader } from './document/field-reader.ts';
export {
  isJsonObject,
  memberOf,
  objectsIn,
  ownMembers,
  textMember,
  textsIn,
} from './document/json-members.ts';
export type { JsonMembers } from './document/json-members.ts';
export { readJson } from './document/parse-json.ts';
export { nameServer } from './consent/name-server.ts';
export { describeForm } from './registry-entry/describe-form.ts';
export { findDemands } from './consent/find-demands.ts';
export { findEntryDemands } from './consent/entry-demands.ts';
export type { EntryUse } from './consent/entry-demands.ts';
export { GRANT_KINDS } from './consent/grant.ts';
export type { Author, ConsentFacts, Demands, Grant, GrantKind, Refusal } from './consent/grant.ts';
export { showAddress } from './consent/judge-address.ts';
export { showPath } from './consent/judge-host-path.ts';
export type { EntryDemands } from './consent/describe-entry-demands.ts';
export { PUBLIC_INDEXES } from './registry-entry/public-indexes.ts';
export { parseEnvironmentFile, warnOfLiteralMarks } from './parse/environment-file.ts';
export type { Variables } from './parse/environment-file.ts';
export { LABEL_PREFIX, parseLabel } from './parse/key-value.ts';
export { isCredentialHeader } from './run-config/lift-secrets.ts';
export { ambiguousVolume, environmentVariableUnset } from './parse/parse-errors.ts';
export { parsePublishedPort } from './parse/published-port.ts';
export type { PublishedPort } from './parse/published-port.ts';
export {
  findSecretReference,
  formatSecretReference,
  parseSecretReference,
} from './parse/secret-reference.ts';
export type { SecretReference } from './parse/secret-reference.ts';
export {
  encodeInUrl,
  fillInlineSecrets,
  hasSecretPath,
  inlineSecret,
  inlineValues,
} from './parse/inline-secrets.ts';
export { inlineReferences, warnOfShownSecrets } from './run-config/shown-secrets.ts';
export {
  FOREIGN_SECRET_PREFIX,
  isBuildSecret,
  isLoginOf,
  isLoginSecret,
  isReservedSecret,
  isSystemSecret,
  isWorkloadSecret,
  SECRET_PREFIX,
} from './parse/reserved-secret.ts';
export { hasControlCharacters, oneOf, quote } from './parse/text-faults.ts';
export { codeOf, textOf } from './parse/text-of.ts';
export { unreachable } from './parse/unreachable.ts';
export { formatVolume, isVolumeName, parseVolume } from './parse/volume.ts';
export type { PathContext } from './parse/volume.ts';
export { parsePermissionProfile } from './permissions/parse-permission-profile.ts';
export { badPermissionProfile } from './permissions/permission-errors.ts';
export { BUILT_IN_PROFILES, findBuiltInProfile, networkModeOf } from './permissions/permission-profile.ts';
export type { PermissionProfile } from './permissions/permission-profile.ts';
export { describeOpenGateway } from './permissions/open-gateway.ts';
export { describeOpenNetwork } from './permissions/open-network.ts';
export { addVolumes, mountsOfProfile, withWholePaths } from './permissions/profile-mounts.ts';
export { secretInClear } from './registry-entry/entry-errors.ts';
export type { EntryInput } from './registry-entry/entry-input.ts';
export {
  fillServerSettings,
  findMissingInputs,
  markSecrets,
  secretInputNames,
  warnOfOpenNames,
} from './registry-entry/fill-server-settings.ts';
export { isPartInput, isWholeInput } from './registry-entry/entry-templates.ts';
export type { FilledSettings } from './registry-entry/fill-server-settings.ts';
export type { InputValues } from './registry-entry/entry-templates.ts';
export { findExtension } from './registry-entry/find-extension.ts';
export { toolNamesOf } from './registry-entry/tool-names.ts';
export type { ServerSettings } from './registry-entry/server-settings.ts';
export { DRIFT_REACTIONS, VERIFICATION_MODES } from './run-config/choices.ts';
export type { DriftReaction, VerificationMode } from './run-config/choices.ts';
export { formatRunConfig } from './run-config/format-run-config.ts';
export { runConfigDocument } from './run-config/run-config-document.ts';
export { isVirtualServer } from './run-config/members/is-virtual-server.ts';
export { memberConfigOf, withMemberConfig } from './run-config/members/member-config.ts';
export {
  credentialsOf,
  DEFAULT_ABOVE_TOKENS,
  kindOfMember,
  MEMBER_CREDENTIALS,
  searchSettingsOf,
} from './members/member.ts';
export type {
  Member,
  MemberCredentials,
  MemberOverride,
  Members,
  NameSettings,
  SearchFields,
  SearchMode,
  SearchSettings,
} from './members/member.ts';
export type {
  MemberKind,
  MemberRemoteAuth,
  MemberTokenExchange,
  ServerFields,
} from './members/member-fields.ts';
export {
  exposedNameOf,
  findNameFault,
  isListed,
  MAX_EXPOSED_NAME_LENGTH,
  ownNamesOf,
  PORTABLE_NAME_LENGTH,
  prefixOf,
  SEARCH_TOOLS,
  tokensOf,
} from './members/exposed-name.ts';
export type { NamedMember } from './members/exposed-name.ts';
export { findConflicts, findSettledConflicts, resolutionOf, workloadsOf } from './members/find-conflicts.ts';
export type { Claim, ListedMember, NameConflict, PrefixConflict } from './members/find-conflicts.ts';
export { findPassedHeaderFault } from './members/pass-headers.ts';
export { authoritiesOf, authProviderOf, authTokenFileOf } from './run-config/auth-provider-of.ts';
export type { NamedAuthProvider } from './run-config/auth-provider-of.ts';
export { liftSecrets } from './run-config/lift-secrets.ts';
export { maxSessionsOf, stdioSessionsOf } from './run-config/stdio-sessions.ts';
export { middlewareOf, protectionsOf } from './run-config/middleware-of.ts';
export type { NamedMiddleware } from './run-config/middleware-of.ts';
export { mergeWebhooks, readWebhookDocument } from './run-config/webhook-files.ts';
export { parseToolsOverride } from './run-config/tools-override.ts';
export { normalizeRunConfig } from './run-config/normalize-run-config.ts';
export { parseRunConfig } from './run-config/parse-run-config.ts';
export type { ParsedRunConfig } from './run-config/parse-run-config.ts';
export type { RuntimeConfig } from './run-config/parts.ts';
export { remoteAuthOf, withLogin } from './run-config/remote-auth.ts';
export type { RemoteAuth, StoredLogin } from './run-config/remote-auth.ts';
export { policySecretsIn, renameSecrets, secretNamesIn } from './run-config/rename-secrets.ts';
export { hideUserInfo } from './parse/text-faults.ts';
export { CALLBACK_PORT, refuseCallbackPort } from './run-config/refuse-callback-port.ts';
export { noteWithoutEffect, requireEnforced } from './run-config/require-enforced.ts';
export { createRunConfig } from './run-config/run-config.ts';
export { LOGIN_CREDENTIALS, namedCredentials } from './run-config/remote-credentials.ts';
export {
  completeTokenExchange,
  isLeftToExchange,
  lacksTokenExchangeSecret,
} from './run-config/token-exchange.ts';
export type { Carries, KnownTransports } from './run-config/transports.ts';
export type { RunConfig } from './run-config/run-config.ts';
export { changeRunConfig } from './change/change-run-config.ts';
export type { ChangedRunConfig, ChangeInput } from './change/change-run-config.ts';
export { findLostProtections } from './change/lost-protections.ts';
export type { RunChange } from './change/run-change.ts';
export { BUILD_KEYS, BUILD_LIMITS, NO_BUILD_SETTINGS, secretOfAuthFile } from './settings/build-settings.ts';
export type { BuildSettings } from './settings/build-settings.ts';
export { expectedBuildVariable, expectedVariableValue } from './run-config/build-variables.ts';
export {
  chooseProxyMode,
  chooseTargetPort,
  chooseTransport,
  requireTransport,
} from './settings/choose-transport.ts';
export { checkToolNames } from './settings/check-tool-names.ts';
export { findKnownNeeds } from './settings/known-programs.ts';
export { indexesOfEntry } from './settings/entry-runtime.ts';
export { checkRuntime, schemeOf } from './settings/merge-container.ts';
export { mergeEnvironment } from './settings/merge-environment.ts';
export { givenHeaders } from './settings/merge-remote.ts';
export { checkBesideFile, mergeSettings } from './settings/merge-settings.ts';
export type { ContainerSettings, MergedSettings } from './settings/merged-settings.ts';
export type { MergeInput } from './settings/merge-input.ts';
export { FLAG_GROUPS } from './settings/flag-row.ts';
export type { FlagType, FlagValues } from './settings/flag-row.ts';
export { planPlain } from './settings/plain-settings.ts';
export {
  DEFAULT_SESSION_TTL_MS,
  flagRow,
  RUN_FLAG_NAMES,
  RUN_FLAGS,
  typedFlag,
} from './settings/run-flags.ts';
export type { RunFlagName, RunFlags } from './settings/run-flags.ts';
export type { RunRequest, StoredSettings } from './settings/run-request.ts';
export type { Setting, SettingOrigin } from './settings/setting.ts';
export { badSetting, unusableSetting } from './parse/parse-errors.ts';
export { hasNoEffect } from './settings/without-effect.ts';
export { badUserSettings, settingsConflict } from './settings/settings-errors.ts';
export { refuseTokenExchange } from './settings/merge-token-exchange.ts';
export { policyPartOf } from './settings/to-run-config.ts';
export { toRunConfig } from './settings/to-run-config.ts';
export { isPublicRegistry, OFFICIAL_REGISTRY } from './settings/user-settings.ts';
export {
  expectedTrustedRegistry,
  asksDefaultRegistry,
  NO_USER_SETTINGS,
  readUserSettings,
} from './settings/user-settings.ts';
export type { RegistryAuth, UserSettings } from './settings/user-settings.ts';
export { classifyTarget, settleName } from './target/classify-target.ts';
export type { NamedTarget, RunTarget } from './target/classify-target.ts';
export { formatPackage, parsePackage } from './target/parse-package.ts';
export { badRunTarget, refuseReservedImage } from './target/target-errors.ts';
export {
  containerNameOf,
  imageNameOfPackage,
  isWorkloadName,
  nameOfImage,
  nameOfUrl,
  parseGroupName,
} from './target/workload-name.ts';
export {
  dockerOptionTakesValue,
  meaningOfDockerOption,
  splitOption,
} from './registry-entry/docker-options.ts';
export {
  imageOfPython,
  meaningOfOption,
  optionTakesValue,
  splitRequirement,
  splitRequirements,
} from './registry-entry/runner-options.ts';
