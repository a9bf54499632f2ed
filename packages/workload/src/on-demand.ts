import type { LookupSurroundings } from './run/lookup-context.ts';

// The ways in that load much: each is loaded when it is called. Whoever imports the
// package for one of them, or for a small thing, does not wait for the others.

type Action<Arguments extends unknown[], Result> = (...values: Arguments) => Promise<Result>;

/** An action whose file is loaded when it is called for the first time. */
function onDemand<Arguments extends unknown[], Result>(
  load: () => Promise<Action<Arguments, Result>>,
): Action<Arguments, Result> {
  return async (...values) => await (await load())(...values);
}

/** See `build/build-package.ts`. */
export const buildPackage = onDemand(async () => (await import('./build/build-package.ts')).buildPackage);
export const describePackageBuild = onDemand(
  async () => (await import('./build/build-package.ts')).describePackageBuild,
);

/** See `build/list-built-images.ts`. */
export const listBuiltImages = onDemand(
  async () => (await import('./build/images/list-built-images.ts')).listBuiltImages,
);

/** See `build/provide-built-image.ts`. */
export const provideBuiltImage = onDemand(
  async () => (await import('./build/provide-built-image.ts')).provideBuiltImage,
);

/** See `build/read-certificates.ts`. */
export const readCertificates = onDemand(
  async () => (await import('./build/read-certificates.ts')).readCertificates,
);

/** See `clients/register-clients.ts`. */
export const listClients = onDemand(async () => (await import('./clients/register-clients.ts')).listClients);
export const registerClient = onDemand(
  async () => (await import('./clients/register-clients.ts')).registerClient,
);
export const unregisterClient = onDemand(
  async () => (await import('./clients/register-clients.ts')).unregisterClient,
);

/** See `run/plan/check-file.ts`. */
export const checkFile = onDemand(async () => (await import('./run/plan/check-file.ts')).checkFile);

/** See `consent/trust-records.ts`. */
export const listTrust = onDemand(async () => (await import('./consent/trust-records.ts')).listTrust);
export const revokeTrust = onDemand(async () => (await import('./consent/trust-records.ts')).revokeTrust);

/** See `doctor/examine.ts`. */
export const examine = onDemand(async () => (await import('./doctor/examine.ts')).examine);
export const repairFindings = onDemand(async () => (await import('./doctor/examine.ts')).repairFindings);

/** See `groups/groups.ts`. */
export const createGroup = onDemand(async () => (await import('./groups/groups.ts')).createGroup);
export const getGroup = onDemand(async () => (await import('./groups/groups.ts')).getGroup);
export const listGroups = onDemand(async () => (await import('./groups/groups.ts')).listGroups);

/** See `login/log-in-again.ts`. */
export const logInAgain = onDemand(async () => (await import('./login/log-in-again.ts')).logInAgain);
export const logOut = onDemand(async () => (await import('./login/log-in-again.ts')).logOut);

/** See `registry-login/log-in-to-registry.ts`. */
export const logInToRegistry = onDemand(
  async () => (await import('./registry-login/log-in-to-registry.ts')).logInToRegistry,
);

/** See `registry-login/log-out-of-registry.ts`. */
export const logOutOfRegistry = onDemand(
  async () => (await import('./registry-login/log-out-of-registry.ts')).logOutOfRegistry,
);

/** See `registry-login/describe-registry-login.ts`. */
export const describeRegistryLogin = onDemand(
  async () => (await import('./registry-login/describe-registry-login.ts')).describeRegistryLogin,
);

/** See `registry-login/login-access.ts`. */
export const findLoginAccess = onDemand(
  async () => (await import('./registry-login/login-access.ts')).findLoginAccess,
);

/** See `registry-login/registry-logins.ts`. */
export const findRegistryLogin = onDemand(
  async () => (await import('./registry-login/registry-logins.ts')).findRegistryLogin,
);

/** See `run/operations/remove-group.ts`. */
export const removeGroup = onDemand(
  async () => (await import('./run/operations/remove-group.ts')).removeGroup,
);
export const workloadsInGroup = onDemand(
  async () => (await import('./run/operations/remove-group.ts')).workloadsInGroup,
);

/** See `supervisor/overlays/empty-file.ts`. */
export const provideEmptyFile = onDemand(
  async () => (await import('./supervisor/overlays/empty-file.ts')).provideEmptyFile,
);

/** See `supervisor/overlays/resolve-overlays.ts`. */
export const resolveOverlays = onDemand(
  async () => (await import('./supervisor/overlays/resolve-overlays.ts')).resolveOverlays,
);

/** See `run/check-request.ts`. */
export const checkRequest = onDemand(async () => (await import('./run/check-request.ts')).checkRequest);

/** See `run/operations/choose-names.ts`. */
export const chooseNames = onDemand(
  async () => (await import('./run/operations/choose-names.ts')).chooseNames,
);

/** See `run/operations/describe-workload.ts`. */
export const describeWorkload = onDemand(
  async () => (await import('./run/operations/list/describe-workload.ts')).describeWorkload,
);
export const reachWorkload = onDemand(
  async () => (await import('./run/operations/list/reach-workload.ts')).reachWorkload,
);

/** See `run/operations/change-workload.ts`. */
export const changeWorkload = onDemand(
  async () => (await import('./run/operations/change-workload.ts')).changeWorkload,
);

/** See `run/operations/find-update.ts` and `run/operations/update-workload.ts`. */
export const findUpdate = onDemand(
  async () => (await import('./run/operations/update/find-update.ts')).findUpdate,
);
export const updateWorkload = onDemand(
  async () => (await import('./run/operations/update/update-workload.ts')).updateWorkload,
);

/** See `run/operations/find-denial.ts`. */
export const findDenial = onDemand(async () => (await import('./run/operations/find-denial.ts')).findDenial);

/** See `run/operations/try-authorization.ts`. */
export const tryAuthorization = onDemand(
  async () => (await import('./run/operations/try-authorization.ts')).tryAuthorization,
);

/** See `run/operations/check-policies.ts`. */
export const checkPolicies = onDemand(
  async () => (await import('./run/operations/check-policies.ts')).checkPolicies,
);
export const findUnknownTools = onDemand(
  async () => (await import('./run/operations/check-policies.ts')).findUnknownTools,
);

/** See `run/operations/export-workload.ts`. */
export const exportWorkload = onDemand(
  async () => (await import('./run/operations/export/export-workload.ts')).exportWorkload,
);

export const renderExport = onDemand(
  async () => (await import('./run/operations/export/export-workload.ts')).renderExport,
);

/** See `run/operations/inspect-workload.ts`. */
export const inspectWorkload = onDemand(
  async () => (await import('./run/operations/list/inspect-workload.ts')).inspectWorkload,
);

/** See `run/operations/list-workloads.ts`. */
export const listWorkloads = onDemand(
  async () => (await import('./run/operations/list/list-workloads.ts')).listWorkloads,
);

/** See `run/lookup-context.ts`. */
export const lookupContextOf = onDemand(async () => {
  const { lookupContextOf: make } = await import('./run/lookup-context.ts');
  return async (context: LookupSurroundings) => make(context);
});

/** See `state/write-output.ts`. */
export const writeOutput = onDemand(async () => (await import('./state/write-output.ts')).writeOutput);

/** See `run/operations/prune-logs.ts`. */
export const pruneLogs = onDemand(async () => (await import('./run/operations/prune-logs.ts')).pruneLogs);

/** See `run/operations/finish-removals.ts`. */
export const finishRemovals = onDemand(
  async () => (await import('./run/operations/finish-removals.ts')).finishRemovals,
);

/** See `run/operations/remove-workloads.ts`. */
export const removeWorkloads = onDemand(
  async () => (await import('./run/operations/remove-workloads.ts')).removeWorkloads,
);

/** See `run/operations/start-wanted.ts`. */
export const startWanted = onDemand(
  async () => (await import('./run/operations/start-wanted.ts')).startWanted,
);

/** See `run/operations/start-workloads.ts`. */
export const startWorkloads = onDemand(
  async () => (await import('./run/operations/start-workloads.ts')).startWorkloads,
);

/** See `run/operations/stop-workloads.ts`. */
export const stopWorkloads = onDemand(
  async () => (await import('./run/operations/stop-workloads.ts')).stopWorkloads,
);

/** See `run/plan-run.ts`. */
export const planRun = onDemand(async () => (await import('./run/plan-run.ts')).planRun);

/** See `run/run-workload.ts`. */
export const runWorkload = onDemand(async () => (await import('./run/run-workload.ts')).runWorkload);

/** See `secrets/find-secret-users.ts`. */
export const findSecretUsers = onDemand(
  async () => (await import('./secrets/find-secret-users.ts')).findSecretUsers,
);

/** See `secrets/manage-secrets.ts`. */
export const deleteSecret = onDemand(async () => (await import('./secrets/manage-secrets.ts')).deleteSecret);
export const getSecret = onDemand(async () => (await import('./secrets/manage-secrets.ts')).getSecret);
export const importSecrets = onDemand(
  async () => (await import('./secrets/manage-secrets.ts')).importSecrets,
);
export const listSecrets = onDemand(async () => (await import('./secrets/manage-secrets.ts')).listSecrets);
export const setSecret = onDemand(async () => (await import('./secrets/manage-secrets.ts')).setSecret);

/** See `secrets/set-up-provider.ts`. */
export const chooseSecretsProvider = onDemand(
  async () => (await import('./secrets/set-up-provider.ts')).chooseSecretsProvider,
);

/** See `state/choose-port.ts`. */
export const choosePort = onDemand(async () => (await import('./state/choose-port.ts')).choosePort);

/** See `supervisor/supervise-workload.ts`. */
export const superviseWorkload = onDemand(
  async () => (await import('./supervisor/supervise-workload.ts')).superviseWorkload,
);

/** See `state/user-config/list-settings.ts`. */
export const getSetting = onDemand(
  async () => (await import('./state/user-config/list-settings.ts')).getSetting,
);
export const listSettings = onDemand(
  async () => (await import('./state/user-config/list-settings.ts')).listSettings,
);

/** See `state/user-config/update-user-config.ts`. */
export const updateUserConfig = onDemand(
  async () => (await import('./state/user-config/update-user-config.ts')).updateUserConfig,
);

/** See `build/build-environment.ts`. */
export const readAuthFile = onDemand(async () => (await import('./build/build-environment.ts')).readAuthFile);
export const setAuthFile = onDemand(async () => (await import('./build/build-environment.ts')).setAuthFile);
export const setBuildVariable = onDemand(
  async () => (await import('./build/build-environment.ts')).setBuildVariable,
);
export const unsetAuthFiles = onDemand(
  async () => (await import('./build/build-environment.ts')).unsetAuthFiles,
);
export const unsetBuildVariables = onDemand(
  async () => (await import('./build/build-environment.ts')).unsetBuildVariables,
);
