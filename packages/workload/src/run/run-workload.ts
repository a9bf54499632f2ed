import { isDeepStrictEqual } from 'node:util';
import { isPortolanError, UndoStack } from '@portolan/plugin-api';
import { type RunConfig, type RunRequest, checkBesideFile, refuseCallbackPort } from '@portolan/run-spec';
import { recordWorkload } from '../consent/trust-records.ts';
import { keepEntryDefinitions } from '../state/entry-definitions.ts';
import type { FileLock } from '../state/file-lock.ts';
import { requireOwnSecrets } from '../secrets/secret-owner.ts';
import { memberName } from '../state/member-name.ts';
import type { StoredWorkload } from '../state/workload-store.ts';
import { ownProcess } from '../state/process-identity.ts';
import type { WorkloadContext } from '../workload-context.ts';
import type { MountPaths } from '../supervisor/container/resolve-mounts.ts';
import { replacementFailed, workloadChanged } from './run-errors.ts';
import type { RunOptions, RunOutcome } from './run-options.ts';
import { bringUp, type BringUpRequest } from './steps/bring-up.ts';
import { chooseProxyPort } from './steps/choose-ports.ts';
import { reserveName } from './steps/reserve-name.ts';
import { findReplaced } from './steps/check/find-replaced.ts';
import { logInForRun } from './steps/run-logins.ts';
import { stopReplaced, STOP_GRACE_MS } from './steps/stop-replaced.ts';
import { prepareRun } from './steps/prepare-run.ts';
import type { PreparedRun } from './steps/prepared-run.ts';
import { requireGroup } from './steps/check/require-group.ts';
import { reviewReplacement } from './steps/check/review-replacement.ts';
import {
  dropSecrets,
  ownerOfRun,
  ownSecretsOf,
  resolveSecretValues,
  storeRunSecrets,
} from './steps/run-secrets.ts';
import type { SettledRun } from './steps/settled-run.ts';

/**
 * Runs a new workload, and returns when it responds. In the foreground, returns when its container has ended
 * and everything of the workload is removed. A failed or aborted run leaves nothing under the name. Throws a
 * `PortolanError`, or the reason of the signal.
 */
export async function runWorkload(
  request: RunRequest,
  context: WorkloadContext,
  options: RunOptions,
  signal: AbortSignal,
): Promise<RunOutcome> {
  checkBesideFile(request);
  const { observer } = options;
  const undo = new UndoStack(context.logger);
  let keepsReplaced: boolean | undefined;
  const prepared = await prepareRun(request, context, options, signal);
  try {
    await requireGroup(prepared.group, context);
    const movesGroup = request.fromState !== undefined || options.movesGroup === true;
    const replaced = await findReplaced(prepared, options.replace, context.store, movesGroup);
    const run = markApplied(
      request,
      await settleApart(await prepared.settle(replaced?.config), context, signal),
    );
    const owner = ownerOfRun(run, context.store);
    refuseCallbackPort(run.config);
    if (request.fromState === undefined) reviewReplacement(replaced?.config, run.config, options);
    await requireOwnSecrets(run.config, owner);
    await storeRunSecrets(run.secrets, context, undo, signal);
    const secrets = await resolveSecretValues(run.config, context, owner, signal);
    const logins = await logInForRun(run.config, secrets, context, { observer, undo }, signal);
    // Stored settings keep the mount paths that the user has already accepted; only new mounts get new paths.
    const mountPaths =
      request.fromState === undefined
        ? run.mountPaths
        : keepPaths(run.mountPaths, replaced?.state?.mountPaths);
    const settled = { ...run, config: logins.config, mountPaths: mountPaths ?? {} };
    const turn = { context, options, movesGroup, base: request.fromState?.base ?? options.base };
    const { earlier, lock: heldLock } = await takeTurn(prepared, replaced, turn, undo, signal);
    if (earlier !== undefined) {
      if (request.fromState === undefined && !isDeepStrictEqual(earlier.config, replaced?.config))
        reviewReplacement(earlier.config, settled.config, options);
      const keepsTraces = request.fromState !== undefined;
      keepsReplaced = await stopReplaced(earlier, { context, keepsTraces }, undo, signal);
    }
    const replaces = keepsReplaced === true;
    const lock = await reserveName(settled, context, undo, signal, { replaces, lock: heldLock });
    await keepEntryDefinitions(settled.config.name, settled.entry, context.directories);
    await logins.keep(signal);
    if (request.fromState === undefined) await recordConsents(prepared, context);
    const outcome = await bringUpOnAnyPort(settled, logins.values, context, options, signal);
    if (outcome.outcome === 'ended') await undo.run();
    else {
      undo.forget();
      await lock.release();
      await dropSecretsOf(earlier?.config, context, signal);
    }
    return outcome;
  } catch (error) {
    await undo.run();
    if (keepsReplaced === undefined || signal.aborted) throw error;
    throw replacementFailed(prepared.name, keepsReplaced, error);
  }
}

/**
 * Brings the workload up. Retries with another free port when another program has taken the chosen one, but
 * never changes a requested port. Throws like `bringUp`.
 */
async function bringUpOnAnyPort(
  settled: SettledRun,
  values: BringUpRequest['values'],
  context: WorkloadContext,
  options: RunOptions,
  signal: AbortSignal,
): Promise<RunOutcome> {
  let { config } = settled;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await bringUp({ config, values }, context, options, signal);
    } catch (error) {
      const isTaken = isPortolanError(error) && error.code === 'ERR_PROXY_PORT_IN_USE';
      if (!isTaken || !settled.isAnyPort || attempt === MAX_PORT_ATTEMPTS || signal.aborted) throw error;
      const { host } = config;
      const workloads = await context.store.list();
      const port = await chooseProxyPort({ host, proxyPort: undefined, workloads, replaced: undefined });
      options.observer.note(`Another program took port ${config.port}; trying port ${port.value}.`);
      config = { ...config, port: port.value };
      const { imageDigest, mountPaths = {}, states: members = {} } = settled;
      const facts = { imageDigest, mountPaths, members, replace: true };
      await context.store.claim(config, await ownProcess(), facts);
    }
  }
}

/** Maximum number of ports that one run tries. */
const MAX_PORT_ATTEMPTS = 3;

/**
 * Waits for the workload lock, so that concurrent replacements run one after the other. Then reads the
 * existing workload again, because another replacement may have changed it in the meantime. Without a workload
 * to replace, does neither.
 */
async function takeTurn(
  prepared: PreparedRun,
  replaced: StoredWorkload | undefined,
  { context: { store }, options: { startTimeoutMs }, movesGroup, base }: TurnContext,
  undo: UndoStack,
  signal: AbortSignal,
): Promise<{ readonly earlier: StoredWorkload | undefined; readonly lock: FileLock | undefined }> {
  if (replaced === undefined) return { earlier: undefined, lock: undefined };
  const lock = await store.lock(prepared.name, { timeoutMs: startTimeoutMs + STOP_GRACE_MS, signal });
  undo.push('its turn', () => lock.release());
  const earlier = await findReplaced(prepared, true, store, movesGroup);
  if (base !== undefined && !isDeepStrictEqual(earlier?.config, base)) throw workloadChanged(prepared.name);
  return { earlier, lock };
}

interface TurnContext {
  readonly context: WorkloadContext;
  readonly options: RunOptions;
  readonly movesGroup: boolean;
  /** Run config that the existing workload must still have; undefined accepts any. */
  readonly base: RunConfig | undefined;
}

/**
 * Returns the real paths of the mounts. A mount that the existing workload has keeps the recorded path, which
 * the user accepted.
 */
function keepPaths(paths: MountPaths = {}, recorded: MountPaths = {}): MountPaths {
  const remaining = Object.entries(recorded).filter(([source]) => Object.hasOwn(paths, source));
  return { ...paths, ...Object.fromEntries(remaining) };
}

/** Records the consent of the workload, and those of its members. */
async function recordConsents(prepared: PreparedRun, context: WorkloadContext): Promise<void> {
  const { name, consent, consents = new Map() } = prepared;
  await recordWorkload(name, consent, context);
  for (const [member, own] of consents) {
    if (own !== undefined) await recordWorkload(memberName(name, member), own, context);
  }
}

/** Records the workloads file that creates the workload. Stored settings keep what they have. */
function markApplied({ appliedBy = '', fromState }: RunRequest, settled: SettledRun): SettledRun {
  if (fromState !== undefined) return settled;
  return { ...settled, config: { ...settled.config, applied_by: appliedBy } };
}

async function settleApart(
  settled: SettledRun,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<SettledRun> {
  if (settled.secrets.length === 0) return settled;
  const { uniquifySecretNames } = await import('./steps/uniquify-secret-names.ts');
  return await uniquifySecretNames(settled, context, signal);
}

/** Removes secrets that only the replaced workload used. A failure does not affect the new workload. */
async function dropSecretsOf(
  earlier: RunConfig | undefined,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<void> {
  if (earlier === undefined) return;
  try {
    await dropSecrets(ownSecretsOf(earlier), context, signal);
  } catch (error) {
    context.logger.warn(
      { err: error, workload: earlier.name },
      'secrets of the earlier workload could not be removed',
    );
  }
}
