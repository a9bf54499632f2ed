import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import path from 'node:path';
import { withLock } from '../../state/file-lock.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { STANDARD_INPUT } from '../steps/read/run-config-file.ts';
import { planOutdated } from './apply-errors.ts';
import type { ApplyPlan, PreparedWorkload } from './apply-plan.ts';
import { type AppliedWorkload, type ApplyOptions, applyWorkloads } from './apply-workloads.ts';
import { planWorkloads, type PlanWorkloadsOptions } from './plan-workloads.ts';
import { folderOfFile, type WorkloadsSource } from './read-workloads-file.ts';

export interface ApplyFileOptions extends ApplyOptions, PlanWorkloadsOptions {
  /** Reads the file again, to notice an edit after the plan was shown. */
  readonly reread: () => Promise<Pick<WorkloadsSource, 'text'>>;
  /**
   * Shows the plan, and rejects if the user declines. `applyFile` holds no lock during the call if `asks` is set.
   */
  readonly confirm: (plan: ApplyPlan) => Promise<void>;
  /** Whether `confirm` may wait for the user. */
  readonly asks: boolean;
}

export interface AppliedFile {
  readonly plan: ApplyPlan;
  readonly results: readonly AppliedWorkload[];
}

/**
 * Plans a workloads file, calls `confirm` with the plan, and applies it. Concurrent calls for files with the same
 * name wait for each other. Throws ERR_WORKLOAD_CHANGED if the file or its workloads changed while the user decided,
 * ERR_STATE_BUSY if another call takes too long, and what `planWorkloads` and `confirm` throw.
 */
export async function applyFile(
  source: WorkloadsSource,
  context: WorkloadContext,
  options: ApplyFileOptions,
  signal: AbortSignal,
): Promise<AppliedFile> {
  const { prune, plannedSecrets, keepsExisting, asks, confirm, reread } = options;
  const planning = {
    prune,
    ...(plannedSecrets === undefined ? {} : { plannedSecrets }),
    ...(keepsExisting === undefined ? {} : { keepsExisting }),
  };
  const plan = async (): Promise<ApplyPlan> => await planWorkloads(source, context, planning, signal);
  const own = { ...context, workingDirectory: folderOfFile(source.file, context) };
  const apply = async (planned: ApplyPlan): Promise<AppliedFile> => ({
    plan: planned,
    results: await applyWorkloads(planned, own, options, signal),
  });
  const shown = asks ? await plan() : undefined;
  if (shown !== undefined) await confirm(shown);
  return await withLock(
    lockFolderOf(source.name, context),
    async () => {
      const planned = await plan();
      if (shown === undefined) await confirm(planned);
      else if ((await reread()).text !== source.text || !isSamePlan(shown, planned))
        throw planOutdated(nameOfSource(source));
      return await apply(planned);
    },
    { timeoutMs: LOCK_TIMEOUT_MS, signal },
  );
}

/** Maximum wait for another `apply` of the same file, which may build images. */
const LOCK_TIMEOUT_MS = 30 * 60_000;

function lockFolderOf(name: string, { directories }: Pick<WorkloadContext, 'directories'>): string {
  const id = createHash('sha256').update(name).digest('hex').slice(0, 16);
  return path.join(directories.statuses, '.locks', `apply-${id}`);
}

/** Returns the name of a source in messages. Servers of clients have no workloads file. */
function nameOfSource({ file }: WorkloadsSource): string {
  if (file === '') return 'A file of a client';
  return file === STANDARD_INPUT ? 'Standard input' : file;
}

/** Returns whether two plans have the same effect. */
function isSamePlan(one: ApplyPlan, other: ApplyPlan): boolean {
  return isDeepStrictEqual(one.workloads.map(effectOf), other.workloads.map(effectOf));
}

function effectOf({ name, action, changes, lost, grants, base }: PreparedWorkload): object {
  return { name, action, changes, lost, grants, base };
}
