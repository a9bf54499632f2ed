import { formatRunConfig, type RunConfig } from '@portolan/run-spec';
import type { WorkloadContext } from '../../workload-context.ts';
import type { RunOptions, RunOutcome } from '../run-options.ts';
import { runWorkload } from '../run-workload.ts';
import { startWorkloads } from './start-workloads.ts';

/** What a workload runs from now on. */
export interface NextSettings {
  readonly config: RunConfig;
  /** The very image; empty for the one that its name stands for. */
  readonly digest: string;
  /** The run config that `config` was made of; left out, any. */
  readonly base?: RunConfig;
}

export interface Replacing {
  readonly context: WorkloadContext;
  readonly run: RunOptions;
  /** Whether the workload was running: then it runs again as it was if the new one fails. */
  readonly ran: boolean;
}

/**
 * Runs a workload with other settings, in place of itself. Returns when the new one answers. When it
 * fails or is aborted, the earlier one has its settings again and runs if it ran before. Throws as
 * `runWorkload`, and ERR_WORKLOAD_CHANGED when the workload no longer has the run config `base`.
 */
export async function replaceByItself(
  { config, digest, base }: NextSettings,
  { context, run, ran }: Replacing,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const request = {
    target: undefined,
    fromConfig: `the run config of ${config.name}`,
    fromState: { text: formatRunConfig(config), ...(base === undefined ? {} : { base }) },
    ...(digest === '' ? {} : { fromDigest: digest }),
    args: [],
    flags: {},
  };
  try {
    return await runWorkload(request, context, run, signal);
  } catch (error) {
    // A user who aborts wants to keep what they had.
    const unaborted = signal.aborted ? new AbortController().signal : signal;
    if (ran) await startAgain(config.name, context, run, unaborted);
    throw error;
  }
}

/** Starts the workload that had made room. Its status says so if it does not start either. */
async function startAgain(
  name: string,
  context: WorkloadContext,
  { observer, ...options }: RunOptions,
  signal: AbortSignal,
): Promise<void> {
  const restart = { ...options, observerOf: () => observer, restart: false };
  const [result] = await startWorkloads([name], context, restart, signal);
  if (result?.changed === true) observer.note(`${name} is started again as it was`);
  else if (result?.error !== undefined)
    observer.warn(`${name} does not come back as it was: ${result.error.message}`);
}
