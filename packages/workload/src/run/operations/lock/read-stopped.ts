import type { CurrentDefinitions } from '@portolan/lock';
import type { RunConfig } from '@portolan/run-spec';
import { consentOptions } from '../../../consent/require-consent.ts';
import { requireWorkloadConsent } from '../../../consent/trust-records.ts';
import { storedOwner } from '../../../secrets/secret-owner.ts';
import { logFilesOf } from '../../../state/log-files.ts';
import { isAlive } from '../../../state/process-identity.ts';
import type { WorkloadState } from '../../../state/workload-state.ts';
import { SupervisorProcess } from '../../../supervisor/supervisor-process.ts';
import type { WorkloadContext } from '../../../workload-context.ts';
import type { StartOptions } from '../../run-options.ts';
import { type BringUpRequest, explainFailures, orderOf } from '../../steps/bring-up.ts';
import { resolveSecretValues } from '../../steps/run-secrets.ts';
import { STOP_GRACE_MS } from '../../steps/stop-replaced.ts';
import { putDown, takeUp } from '../start-workloads.ts';

export type ReadOptions = Omit<StartOptions, 'detachEarly' | 'foreground' | 'supervisor'>;

/**
 * Starts a workload that does not run, without a listener for clients, reads its definitions, and stops it again, also
 * when the signal aborts. Afterwards, its state is as before. Undefined if the workload runs. Throws like a start.
 */
export async function readStopped(
  name: string,
  context: WorkloadContext,
  options: ReadOptions,
  signal: AbortSignal,
): Promise<CurrentDefinitions | undefined> {
  const { store } = context;
  const lock = await store.lock(name, { timeoutMs: options.startTimeoutMs + STOP_GRACE_MS, signal });
  try {
    const stored = await store.find(name);
    if (stored === undefined) throw await store.unknown(name);
    if (stored.supervisor !== undefined && (await isAlive(stored.supervisor))) return undefined;
    await requireWorkloadConsent(name, context, consentOptions(options), signal);
    let config: RunConfig | undefined;
    try {
      config = await takeUp(stored, context, options.observer, signal);
      const values = await resolveSecretValues(config, context, storedOwner(config, store), signal);
      return await launch({ config, values }, context, options, signal);
    } finally {
      if (config !== undefined) await putDown(config, context);
      if (stored.state !== undefined) await restore(stored.state, context);
    }
  } finally {
    await lock.release();
  }
}

/** Gives the workload to a supervisor, which ends by itself. When this rejects, the supervisor has exited. */
async function launch(
  request: BringUpRequest,
  context: WorkloadContext,
  options: ReadOptions,
  signal: AbortSignal,
): Promise<CurrentDefinitions> {
  const { config } = request;
  const { directories, environment, isDebug } = context;
  const { program, configFile } = options;
  const own = { ...options, foreground: false };
  return await explainFailures(config, context, own, signal, async (tell) => {
    let definitions: CurrentDefinitions | undefined;
    const process = new SupervisorProcess({ program, environment, configFile, isDebug });
    const launched = await process.launch(
      { ...orderOf(request, context, own), readsDefinitions: true },
      {
        logFile: logFilesOf(config.name, directories).supervisor,
        onReport: (report) => {
          if (report.report === 'definitions') definitions = report.definitions;
          else tell(report);
        },
        signal,
      },
    );
    try {
      // Such a supervisor never becomes ready: the promise rejects when its process has ended.
      await launched.ready;
    } catch (error) {
      if (definitions === undefined || signal.aborted) throw error;
    }
    if (definitions === undefined) throw new TypeError('a supervisor that only reads must not become ready');
    return definitions;
  });
}

/** Gives the workload the status from before, such as `error` with its reason. */
async function restore(before: WorkloadState, { store, logger }: WorkloadContext): Promise<void> {
  const { name, statusContext, wanted, startedAt, notice, missingScopes } = before;
  const status = ['error', 'policy_stopped'].includes(before.status) ? before.status : 'stopped';
  const context = status === 'stopped' ? '' : statusContext;
  try {
    await store.change(name, (now) => ({
      ...now,
      status,
      statusContext: context,
      wanted,
      startedAt,
      notice,
      missingScopes,
    }));
  } catch (error) {
    logger.warn({ err: error, workload: name }, 'the status before the read could not be restored');
  }
}
