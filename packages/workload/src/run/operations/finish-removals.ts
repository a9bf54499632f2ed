import { isPortolanError } from '@portolan/plugin-api';
import { textOf } from '@portolan/run-spec';
import { removeFromClientFiles } from '../../clients/announce-to-clients.ts';
import { recordWorkload } from '../../consent/trust-records.ts';
import type { UnfinishedRemoval } from '../../state/workload-store.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { dropSecrets, ownSecretsOf } from '../steps/run-secrets.ts';

/**
 * Maximum wait for the workload's lock in milliseconds. If a command holds the lock longer, that command
 * finishes the removal itself.
 */
const LOCK_MS = 100;

/**
 * Finishes interrupted removals and returns the names of the workloads. Leaves secrets to `portolan rm` or
 * `portolan doctor --fix`, because their store may need a password. A removal that fails again stays
 * recorded. Rejects only with the reason of the signal.
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

/** Calls `finishRemoval` while holding the workload's lock. */
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
 * Finishes the parts of a removal that are recorded as unfinished. Returns a note for each part that still
 * fails. Rejects only with the reason of the signal.
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

async function removeReferences(
  { name, url, isOutOfClients = false }: UnfinishedRemoval & { readonly isOutOfClients?: boolean },
  context: WorkloadContext,
): Promise<readonly string[]> {
  // If a new workload has this name by now, the client entries belong to the new workload.
  if ((await context.store.find(name)) !== undefined) return [];
  const entries = isOutOfClients ? [] : await removeFromClientFiles(name, context, url);
  const notes = entries.map((entry) => `${entry} The next portolan command tries again.`);
  try {
    await recordWorkload(name, undefined, context);
    return notes;
  } catch (error) {
    if (!isPortolanError(error)) throw error;
    return [...notes, `Its consent could not be removed: ${textOf(error)}.`];
  }
}

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
