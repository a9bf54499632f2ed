import { UndoStack } from '@portolan/plugin-api';
import type { RunConfig, RunRequest } from '@portolan/run-spec';
import { checkBesideFile } from '@portolan/run-spec';
import type { WorkloadContext } from '../workload-context.ts';
import { replacementFailed } from './run-errors.ts';
import type { RunOptions, RunOutcome } from './run-options.ts';
import { bringUp } from './steps/bring-up.ts';
import { claimName } from './steps/claim-name.ts';
import { findReplaced } from './steps/find-replaced.ts';
import { makeRoom } from './steps/make-room.ts';
import { prepareRun } from './steps/prepare-run.ts';
import { requireGroup } from './steps/require-group.ts';
import { dropSecrets, ownSecretsOf, resolveSecretValues, storeRunSecrets } from './steps/run-secrets.ts';
import type { SettledRun } from './steps/settled-run.ts';

/**
 * Runs what is asked for as a new workload, and returns when it answers; in the
 * foreground, when its container has ended and nothing of it is left. What
 * fails or is aborted leaves nothing of the name: no container, network,
 * process, file or port. Throws a coded error for each thing that can go wrong,
 * and the reason of the signal.
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
  let madeRoom: 'kept' | 'removed' | undefined;
  const prepared = await prepareRun(request, context, observer, signal);
  try {
    await requireGroup(prepared.group, context);
    const earlier = await findReplaced(prepared, options.replace, context.store);
    const settled = await settleApart(await prepared.settle(earlier?.config), context, signal);
    await storeRunSecrets(settled.secrets, context, undo, signal);
    const secrets = await resolveSecretValues(settled.config, context, signal);
    if (earlier !== undefined) {
      madeRoom = (await makeRoom(earlier, context, undo, signal)) ? 'kept' : 'removed';
    }
    const lock = await claimName(settled, context, undo, signal);
    const outcome = await bringUp({ config: settled.config, values: secrets }, context, options, signal);
    if (outcome.outcome === 'ended') await undo.run();
    else {
      undo.forget();
      await lock.release();
      await dropSecretsOf(earlier?.config, context, signal);
    }
    return outcome;
  } catch (error) {
    await undo.run();
    if (madeRoom === undefined || signal.aborted) throw error;
    throw replacementFailed(prepared.name, madeRoom === 'kept', error);
  }
}

async function settleApart(
  settled: SettledRun,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<SettledRun> {
  if (settled.secrets.length === 0) return settled;
  const { nameSecretsApart } = await import('./steps/name-secrets-apart.ts');
  return await nameSecretsApart(settled, context, signal);
}

/** Of the workload that made room, for what no workload uses any more. The new one runs whether that works or not. */
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
      'secrets of the earlier workload stay stored',
    );
  }
}
