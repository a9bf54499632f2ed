import { isPortolanError } from '@portolan/plugin-api';
import { textOf } from '@portolan/run-spec';
import { removeFromClientFiles } from '../../clients/announce-to-clients.ts';
import { recordWorkload } from '../../consent/trust-records.ts';
import type { UnfinishedRemoval } from '../../state/workload-store.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { dropSecrets, ownSecretsOf } from '../steps/run-secrets.ts';

/** Maximum wait for the lock in milliseconds: a command that holds it finishes the removal itself. */
const LOCK_MS = 100;

/**
 * Finishes removals that a full disk or a kill has interrupted: removes entries of clients and records
 * of consent. Secrets wait for `portolan rm` or `portolan doctor --fix`, since their store may need a password. A removal
 * that fails again stays recorded, and `doctor` reports it. Returns the names of workloads whose
 * references are gone now. Rejects only with the reason of the signal.
 */
export async function finishRemovals(
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const finished: string[] = [];
  try {
    for (const removal of await context.store.listUnfinished()) {
      if (!removal.hasReferences) continue;
      const notes = await finishUnderLock({ ...removal, hasSecrets: false }, context, signal);
      if (notes.length === 0) finished.push(removal.name);
    }
  } catch (error) {
    signal.throwIfAborted();
    context.logger.debug({ err: error }, 'removals could not be finished');
  }
  return finished;
}

/** Finishes one removal while no other command works on that workload. Returns notes as `finishRemoval`. */
export async function finishUnderLock(
  removal: UnfinishedRemoval,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const lock = await context.store.lock(removal.name, { timeoutMs: LOCK_MS, signal });
  try {
    return await finishRemoval(removal, context, signal);
  } finally {
    await lock.release();
  }
}

/**
 * Finishes the recorded parts of a removal, and removes the record of each part that is finished.
 * Returns a note for each that is not. Rejects only with the reason of the signal.
 */
export async function finishRemoval(
  removal: UnfinishedRemoval & { readonly isOutOfClients?: boolean },
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { name, hasReferences, hasSecrets } = removal;
  const references = hasReferences ? await removeReferences(removal, context) : [];
  if (hasReferences && references.length === 0) await context.store.removeRecord(name, 'references');
  const secrets = hasSecrets ? await removeSecrets(removal, context, signal) : [];
  if (hasSecrets && secrets.length === 0) await context.store.removeRecord(name, 'secrets');
  return [...references, ...secrets];
}

/** Removes the entries of clients and the record of consent. */
async function removeReferences(
  { name, url, isOutOfClients = false }: UnfinishedRemoval & { readonly isOutOfClients?: boolean },
  context: WorkloadContext,
): Promise<readonly string[]> {
  // A workload that was started under the same name meanwhile has entries of its own.
  if ((await context.store.find(name)) !== undefined) return [];
  const entries = isOutOfClients ? [] : await removeFromClientFiles(name, context, url);
  const notes = entries.map((entry) => `${entry} The next command of portolan tries again.`);
  try {
    await recordWorkload(name, undefined, context);
    return notes;
  } catch (error) {
    if (!isPortolanError(error)) throw error;
    return [...notes, `The record of its consent stays: ${textOf(error)}.`];
  }
}

/** Removes the secrets of a workload. Returns a note when the store is locked or read-only. */
async function removeSecrets(
  { name, config }: UnfinishedRemoval,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const names = config === undefined ? [] : ownSecretsOf(config);
  try {
    await dropSecrets(names, context, signal);
    return [];
  } catch (error) {
    signal.throwIfAborted();
    return [
      `Its secrets ${names.join(', ')} stay in the secret store: ${textOf(error)}. "portolan rm ${name}" tries again.`,
    ];
  }
}
