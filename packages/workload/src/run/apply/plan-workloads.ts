import type { PortolanError } from '@portolan/plugin-api';
import {
  type RunConfig,
  type RunRequest,
  findSecretReference,
  isJsonObject,
  isReservedSecret,
  readJson,
} from '@portolan/run-spec';
import type { FileWorkload } from '@portolan/run-spec/workloads-file';
import { DEFAULT_GROUP, listGroupNames } from '../../groups/groups.ts';
import { ownerOf } from '../../secrets/secret-owner.ts';
import { isAlive } from '../../state/process-identity.ts';
import type { StoredWorkload } from '../../state/workload-store.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { runEach } from '../operations/run-each.ts';
import { planRun } from '../plan-run.ts';
import type { PlannedChange, RunPlan } from '../run-plan.ts';
import { findStoredSecret } from '../steps/run-secrets.ts';
import {
  fileSecretsMissing,
  planInputsMissing,
  workloadDiffers,
  workloadOfOtherFile,
} from './apply-errors.ts';
import type { ApplyAction, ApplyPlan, PreparedWorkload } from './apply-plan.ts';
import { keepVersion } from './keep-version.ts';
import { type FileLock, findLockOfFile, lockFlagOf } from './lock-of-file.ts';
import { findRealChanges } from './real-changes.ts';
import { folderOfFile, requestOf, type WorkloadsSource } from './read-workloads-file.ts';

export interface PlanWorkloadsOptions {
  /** Whether to remove workloads that an earlier `apply` of the file created and the file no longer has. */
  readonly prune: boolean;
  /** Names of secrets that the command stores before it runs what it plans. */
  readonly plannedSecrets?: ReadonlySet<string>;
  /** Whether to refuse changes of existing workloads. */
  readonly keepsExisting?: boolean;
}

/** Maximum number of workloads that are planned at once. A plan may query a registry or a package index. */
const MAX_PLANS_AT_ONCE = 4;

/**
 * Compares a workloads file with the existing workloads. Changes nothing. A workload with a problem gets the
 * action `fails`, and the others are planned nevertheless. Throws ERR_SECRET_NOT_FOUND for secrets that the file
 * requires, and the errors of the secret store.
 */
export async function planWorkloads(
  source: Pick<WorkloadsSource, 'name' | 'file' | 'secrets' | 'workloads'>,
  context: WorkloadContext,
  { prune, ...options }: PlanWorkloadsOptions,
  signal: AbortSignal,
): Promise<ApplyPlan> {
  const { name: file, workloads } = source;
  const missing = await findMissingSecrets(source.secrets, context, signal);
  if (missing.length > 0) throw fileSecretsMissing(missing);
  const groups = await findNewGroups(workloads, context);
  const stored = await context.store.list();
  const named = new Map(workloads.map((workload) => [workload.name, workload]));
  const folder = folderOfFile(source.file, context);
  const lock = await findLockOfFile(source.file, folder);
  const own = { ...context, workingDirectory: folder, plannedGroups: new Set(groups) };
  const planned = await runEach(
    [...named.keys()],
    async (name, limited) => {
      const workload = named.get(name);
      if (workload === undefined) throw new TypeError('the names are those of the map');
      const earlier = stored.find((one) => one.name === name);
      const place = { file: source.file, folder, home: context.home };
      const request = await requestOf(workload, place, limited);
      return await planOne({ workload, request, earlier, file, lock, ...options }, own, limited);
    },
    (name, error) => failing(name, named.get(name)?.kind, error),
    { what: 'Planning', signal, atOnce: MAX_PLANS_AT_ONCE },
  );
  const left = stored.filter(
    ({ name, config }) => file !== '' && config?.applied_by === file && !named.has(name),
  );
  return {
    name: file,
    groups,
    workloads: [...planned, ...left.map((one) => leftOver(one, prune ? 'remove' : 'leave'))],
  };
}

interface WorkloadToPlan extends Omit<PlanWorkloadsOptions, 'prune'> {
  readonly workload: FileWorkload;
  readonly request: RunRequest;
  readonly earlier: StoredWorkload | undefined;
  /** Name of the workloads file; empty if no file is to own the workload. */
  readonly file: string;
  readonly lock: FileLock | undefined;
}

async function planOne(
  { workload, request, earlier, file, lock, plannedSecrets = new Set(), keepsExisting }: WorkloadToPlan,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<PreparedWorkload> {
  const { name, kind } = workload;
  const base = earlier?.config;
  const owner = base?.applied_by ?? '';
  if (![owner, file].includes('') && owner !== file) throw workloadOfOtherFile(name, owner);
  const effective: RunRequest = {
    ...request,
    target: keepVersion(request.target, base),
    flags: { ...keptGroup(request, base), ...lockFlagOf(request, base, lock), ...request.flags },
    // A workload that existed before the file is never removed by it.
    appliedBy: earlier === undefined ? file : owner,
  };
  const run = await planRun(effective, context, signal);
  if (run.missing.length > 0) throw planInputsMissing(name, run.missing);
  const secrets = secretsOf(run, effective).filter((secret) => !plannedSecrets.has(secret));
  const missing = await findMissingSecrets(secrets, context, signal);
  if (missing.length > 0) throw fileSecretsMissing(missing);
  const changes = findRealChanges(run);
  const isRunning = await runs(earlier);
  const action = decideAction({ earlier, changes, isRunning });
  if (keepsExisting === true && action === 'replace') throw workloadDiffers(name);
  return {
    name,
    kind,
    action,
    changes,
    lost: run.lost,
    grants: run.grants.filter(({ accepted }) => !accepted),
    warnings: run.warnings,
    run,
    error: undefined,
    request: effective,
    base,
    isRunning,
  };
}

function decideAction({
  earlier,
  changes,
  isRunning,
}: {
  readonly earlier: StoredWorkload | undefined;
  readonly changes: readonly PlannedChange[];
  readonly isRunning: boolean;
}): ApplyAction {
  if (earlier === undefined) return 'create';
  if (earlier.config === undefined || earlier.state === undefined || changes.length > 0) return 'replace';
  return isRunning ? 'keep' : 'start';
}

/** Returns the flag of `run` for the group of the existing workload. A run config names its own group. */
function keptGroup(request: RunRequest, base: RunConfig | undefined): RunRequest['flags'] {
  if (base === undefined || base.group === '' || request.fromConfig !== undefined) return {};
  return { group: base.group };
}

/** Returns whether a supervisor runs the workload. */
async function runs(workload: StoredWorkload | undefined): Promise<boolean> {
  if (workload?.supervisor === undefined || workload.state === undefined) return false;
  if (['stopped', 'error', 'removing', 'policy_stopped'].includes(workload.state.status)) return false;
  return await isAlive(workload.supervisor);
}

/** Returns the names of the user's secrets that a run needs. Those that Portolan stores itself are left out. */
function secretsOf({ secrets }: RunPlan, { flags }: RunRequest): readonly string[] {
  const headers = (flags.remoteForwardHeadersSecret ?? []).map((text) => text.slice(text.indexOf('=') + 1));
  const ofFlags = (flags.secrets ?? []).map((text) => findSecretReference(text)?.name ?? '');
  return [...new Set([...secrets.map(({ secret }) => secret), ...headers, ...ofFlags])].filter(
    (one) => one !== '' && !isReservedSecret(one),
  );
}

async function findMissingSecrets(
  names: readonly string[],
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const name of new Set(names)) {
    const value = await findStoredSecret(name, context, ownerOf('', [], context.store), signal);
    if (value === undefined) missing.push(name);
  }
  return missing;
}

/** Returns the groups of the file that do not exist yet. */
async function findNewGroups(
  workloads: readonly FileWorkload[],
  context: WorkloadContext,
): Promise<readonly string[]> {
  const existing = await listGroupNames(context);
  const named = workloads.map(groupIn).filter((group) => group !== '');
  return [...new Set(named)].filter((group) => group !== DEFAULT_GROUP && !existing.includes(group));
}

/** Returns the group that a workload of the file names; empty if it names none. */
function groupIn({ flags, config }: FileWorkload): string {
  if (flags.group !== undefined) return flags.group;
  if (config === undefined || !('text' in config)) return '';
  const reading = readJson(config.text);
  const group = 'value' in reading && isJsonObject(reading.value) ? reading.value['group'] : undefined;
  return typeof group === 'string' ? group : '';
}

function failing(
  name: string,
  kind: FileWorkload['kind'] | undefined,
  error: PortolanError,
): PreparedWorkload {
  return { ...NOTHING, name, kind, action: 'fails', error };
}

function leftOver({ name, config }: StoredWorkload, action: 'remove' | 'leave'): PreparedWorkload {
  return { ...NOTHING, name, kind: undefined, action, base: config };
}

const NOTHING = {
  changes: [],
  lost: [],
  grants: [],
  warnings: [],
  run: undefined,
  error: undefined,
  request: undefined,
  base: undefined,
  isRunning: false,
} as const;
