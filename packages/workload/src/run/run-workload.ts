import type { RunRequest } from '../run-request.ts';
import { checkBesideFile } from '../settings/merge-settings.ts';
import type { WorkloadContext } from '../workload-context.ts';
import { replacementFailed } from './run-errors.ts';
import type { RunOptions, RunOutcome } from './run-options.ts';
import { bringUp } from './steps/bring-up.ts';
import { claimName } from './steps/claim-name.ts';
import { announceToClients } from './steps/clients.ts';
import { findReplaced } from './steps/find-replaced.ts';
import { makeRoom } from './steps/make-room.ts';
import { prepareRun } from './steps/prepare-run.ts';
import { requireGroup } from './steps/require-group.ts';
import { resolveSecretValues, storeRunSecrets } from './steps/run-secrets.ts';
import { UndoStack } from './undo-stack.ts';

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
    const settled = await prepared.settle(earlier?.config);
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
      await announceToClients(settled.config, context, observer);
    }
    return outcome;
  } catch (error) {
    await undo.run();
    if (madeRoom === undefined || signal.aborted) throw error;
    throw replacementFailed(prepared.name, madeRoom === 'kept', error);
  }
}
