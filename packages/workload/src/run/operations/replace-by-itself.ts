import { type RunConfig, runConfigDocument } from '@portolan/run-spec';
import type { WorkloadContext } from '../../workload-context.ts';
import type { RunOptions, RunOutcome } from '../run-options.ts';
import { runWorkload } from '../run-workload.ts';
import { startWorkloads } from './start-workloads.ts';

export interface NextSettings {
  readonly config: RunConfig;
  /**
   * Digest of the image to run. If empty, the workload runs the image to which the name in `config` refers.
   */
  readonly digest: string;
  /**
   * Run config from which `config` was derived. If the stored run config differs, another process has changed
   * it.
   */
  readonly base?: RunConfig;
}

export interface Replacing {
  readonly context: WorkloadContext;
  readonly run: RunOptions;
  /** Whether the workload was running. If so, it is restarted with its earlier settings on failure. */
  readonly ran: boolean;
}

/**
 * Restarts a workload with changed settings, and returns when it responds. On failure or abort, restores the
 * earlier settings. Throws like `runWorkload`, and ERR_WORKLOAD_CHANGED when the stored run config is no
 * longer `base`.
 */
export async function replaceByItself(
  { config, digest, base }: NextSettings,
  { context, run, ran }: Replacing,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const request = {
    target: undefined,
    fromConfig: `the run config of ${config.name}`,
    // May contain a new secret in clear text, which the run stores: the text never leaves this process.
    fromState: {
      text: JSON.stringify(runConfigDocument(config)),
      ...(base === undefined ? {} : { base }),
    },
    ...(digest === '' ? {} : { fromDigest: digest }),
    args: [],
    flags: {},
  };
  try {
    return await runWorkload(request, context, run, signal);
  } catch (error) {
    // Restoring the earlier workload needs a signal that has not aborted.
    const unaborted = signal.aborted ? new AbortController().signal : signal;
    if (ran) await startAgain(config.name, context, run, unaborted);
    throw error;
  }
}

/** Starts a workload again with its stored settings after a failed replacement. */
export async function startAgain(
  name: string,
  context: WorkloadContext,
  { observer, ...options }: RunOptions,
  signal: AbortSignal,
): Promise<void> {
  const restart = { ...options, observerOf: () => observer, restart: false };
  const [result] = await startWorkloads([name], context, restart, signal);
  if (result?.changed === true) observer.note(`${name} is started again with its earlier settings`);
  else if (result?.error !== undefined)
    observer.warn(`${name} could not be started again with its earlier settings: ${result.error.message}`);
}
