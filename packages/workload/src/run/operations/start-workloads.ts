import { isDeepStrictEqual } from 'node:util';
import { UndoStack } from '@portolan/plugin-api';
import { refuseCallbackPort, requireEnforced, type RunConfig } from '@portolan/run-spec';
import { storedOwner } from '../../secrets/secret-owner.ts';
import { consentOptions } from '../../consent/require-consent.ts';
import { requireWorkloadConsent } from '../../consent/trust-records.ts';
import { mayHaveContainers } from '../../state/member-config.ts';
import { isAlive, ownProcess } from '../../state/process-identity.ts';
import type { WorkloadStatus } from '../../state/workload-state.ts';
import type { StoredWorkload } from '../../state/workload-store.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { notStartable } from '../run-errors.ts';
import type { RunObserver } from '../run-observer.ts';
import type { RunOutcome, StartOptions } from '../run-options.ts';
import { provideMemberImages } from '../members/provide-member-images.ts';
import { bringUp } from '../steps/bring-up.ts';
import { provideConfigImage } from '../steps/config-image.ts';
import { STOP_GRACE_MS } from '../steps/stop-replaced.ts';
import { requireAuthProvider } from '../steps/check/require-auth-provider.ts';
import { requireCredentials } from '../steps/check/require-credentials.ts';
import { requireMiddleware } from '../steps/check/require-middleware.ts';
import { requireSessionStore } from '../steps/check/require-session-store.ts';
import { resolveSecretValues } from '../steps/run-secrets.ts';
import { clearRunning } from './clear-workload.ts';
import type { OperationResult } from './operation-result.ts';
import { OPERATION_LIMIT_MS, runEach, WITHOUT_LIMIT_MS } from './run-each.ts';
import { stopWorkload } from './stop-workloads.ts';

export interface StartWorkloadsOptions extends Omit<StartOptions, 'observer'> {
  readonly observerOf: (name: string) => RunObserver;
  readonly restart: boolean;
}

export interface StartResult extends OperationResult {
  /** URL of the workload; undefined when it failed or the command did not wait for it. */
  readonly url: string | undefined;
  readonly status: WorkloadStatus | undefined;
  readonly exitCode: number | undefined;
}

/**
 * Starts workloads with their stored settings, several at a time and each within five minutes. Rebuilds or
 * pulls a missing image. Each workload keeps its address. Adopts or removes the containers of an earlier
 * supervisor. A workload that fails gets the status `error`. Rejects only with the signal's reason.
 */
export async function startWorkloads(
  names: readonly string[],
  context: WorkloadContext,
  { observerOf, restart, ...options }: StartWorkloadsOptions,
  signal: AbortSignal,
): Promise<readonly StartResult[]> {
  return await runEach(
    names,
    async (name, limited) => {
      const own: StartOptions = { ...options, observer: observerOf(name) };
      // Ask before the stop: if the user refuses consent, the workload keeps running.
      if (restart) await requireWorkloadConsent(name, context, consentOptions(own), limited);
      const notes = restart ? (await stopWorkload(name, context, STOP_GRACE_MS, limited)).notes : [];
      const result = await startWorkload(name, context, own, limited);
      return { ...result, notes: [...notes, ...result.notes] };
    },
    (name, error): StartResult => ({ ...nothing(name), error }),
    { what: 'Starting', signal, limitMs: options.foreground ? WITHOUT_LIMIT_MS : OPERATION_LIMIT_MS },
  );
}

function nothing(name: string): StartResult {
  return {
    name,
    error: undefined,
    changed: false,
    notes: [],
    url: undefined,
    status: undefined,
    exitCode: undefined,
  };
}

async function startWorkload(
  name: string,
  context: WorkloadContext,
  options: StartOptions,
  signal: AbortSignal,
): Promise<StartResult> {
  const { store } = context;
  const lock = await store.lock(name, { timeoutMs: options.startTimeoutMs + STOP_GRACE_MS, signal });
  const undo = new UndoStack(context.logger);
  let isTakenUp = false;
  try {
    const stored = await store.find(name);
    if (stored === undefined) throw await store.unknown(name);
    if (stored.supervisor !== undefined && (await isAlive(stored.supervisor))) {
      return { ...nothing(name), url: stored.state?.url, status: stored.state?.status };
    }
    await requireWorkloadConsent(name, context, consentOptions(options), signal);
    const config = await takeUp(stored, context, options.observer, signal);
    isTakenUp = true;
    undo.push('the workload', () => putDown(config, context));
    const values = await resolveSecretValues(config, context, storedOwner(config, store), signal);
    const outcome = await bringUp({ config, values }, context, options, signal);
    if (outcome.outcome === 'ended') await undo.run();
    undo.forget();
    return { ...nothing(name), changed: true, ...reached(outcome) };
  } catch (error) {
    await undo.run();
    if (isTakenUp && !signal.aborted) await noteFailure(name, error, context);
    throw error;
  } finally {
    await lock.release();
  }
}

/**
 * Checks a workload, provides its image, and records that this process starts it. Throws ERR_STATE_DAMAGED
 * and the errors of the checks and the image.
 */
export async function takeUp(
  { name, config, state, faults }: StoredWorkload,
  context: WorkloadContext,
  observer: RunObserver,
  signal: AbortSignal,
): Promise<RunConfig> {
  const { store } = context;
  if (config === undefined) throw notStartable(name, faults);
  requireEnforced(config);
  refuseCallbackPort(config);
  for (const require of [requireMiddleware, requireCredentials]) {
    for (const message of await require(config, context)) observer.warn(message);
  }
  await requireSessionStore(config, context);
  await requireAuthProvider(config, context);
  if (mayHaveContainers(config)) observer.step('image', `Looking for the image of ${name}`);
  const onProgress = observer.image.bind(observer);
  const digest = state?.imageDigest ?? '';
  const image = await provideConfigImage(config, digest, context, { onProgress, signal });
  for (const note of image?.notes ?? []) observer.warn(note);
  const members = await provideMemberImages(config, state, context, { observer, signal });
  const started = { ...members.config, image: image?.reference ?? config.image };
  const supervisor = await ownProcess();
  // Create a new state if there is none. For an unreadable state, an earlier check has thrown.
  if (state === undefined) await store.claim(started, supervisor, { replace: true });
  else if (!isDeepStrictEqual(started, config)) await store.replaceConfig(started);
  await store.change(name, (now) => ({
    ...now,
    status: 'starting',
    statusContext: '',
    supervisor,
    instance: '',
    imageDigest: image?.digest ?? '',
    writableRoot: now.writableRoot && image?.digest === digest,
    members: members.states,
  }));
  return started;
}

/** Stops what a start has opened, and records that the workload is stopped. */
export async function putDown(config: RunConfig, context: WorkloadContext): Promise<void> {
  const { name } = config;
  const { store, logger } = context;
  const signal = AbortSignal.timeout(STOP_GRACE_MS);
  const stored = await store.find(name);
  const hasContainers = mayHaveContainers(config);
  const facts = { supervisor: stored?.supervisor, graceMs: 0, hasContainers, signal };
  const notes = await clearRunning(name, context, facts);
  for (const note of notes) logger.warn({ workload: name }, note);
  if (stored === undefined) return;
  await store.change(name, (state) => ({
    ...state,
    status: 'stopped',
    statusContext: '',
    supervisor: undefined,
    instance: '',
    url: '',
    containerId: '',
  }));
}

async function noteFailure(name: string, error: unknown, { store, logger }: WorkloadContext): Promise<void> {
  const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
  try {
    await store.change(name, (state) => ({ ...state, status: 'error', statusContext: why }));
  } catch (cause) {
    // If the state is damaged, the damage is the reason of the failure and the user already sees it.
    logger.debug({ err: cause, workload: name }, 'a failed start could not be noted');
  }
}

function reached(outcome: RunOutcome): Partial<Pick<StartResult, 'url' | 'status' | 'exitCode'>> {
  if (outcome.outcome === 'ready') return { url: outcome.url, status: outcome.status };
  return outcome.outcome === 'ended' ? { exitCode: outcome.exitCode } : {};
}
