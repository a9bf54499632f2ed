import { findLeftEntries, type LeftEntry } from '../clients/left-entries.ts';
import { removeFromClient } from '../clients/update-clients.ts';
import { finishUnderLock } from '../run/operations/finish-removals.ts';
import type { UnfinishedRemoval } from '../state/workload-store.ts';
import type { WorkloadContext } from '../workload-context.ts';
import type { Finding } from './finding.ts';

/** Returns leftovers of removed workloads in client files and the secret store. */
export async function checkClients(context: WorkloadContext): Promise<readonly Finding[]> {
  const unfinished = await context.store.listUnfinished();
  const recorded = new Set(unfinished.map(({ name }) => name));
  const left = (await findLeftEntries(context)).filter(({ name }) => !recorded.has(name));
  const findings = [
    ...unfinished.map((removal) => unfinishedRemoval(removal, context)),
    ...left.map((entry) => leftEntry(entry, context)),
  ];
  if (findings.length > 0) return findings;
  return [{ check: 'clients', level: 'fine', found: 'No client has an entry of a removed workload.' }];
}

function unfinishedRemoval(removal: UnfinishedRemoval, context: WorkloadContext): Finding {
  const parts = [
    ...(removal.hasReferences ? ['client entries and consent'] : []),
    ...(removal.hasSecrets ? ['secrets'] : []),
  ];
  return {
    check: 'clients',
    level: 'problem',
    found: `The removal of workload ${removal.name} is unfinished. Remaining: ${parts.join(', ')}.`,
    remedy: 'Free disk space, and make the client files and the secret store writable.',
    repair: async (signal) => {
      const notes = await finishUnderLock(removal, context, signal);
      if (notes.length > 0) throw new Error(notes.join(' '));
    },
  };
}

function leftEntry({ client, file, name, url, isDead }: LeftEntry, context: WorkloadContext): Finding {
  const where = url === '' ? '' : ` (${url})`;
  const found = `The file of ${client}, ${file}, has an entry ${name}${where}, but there is no such workload.`;
  if (!isDead) {
    const remedy = 'Another program listens there. Remove the entry from the file unless it is yours.';
    return { check: 'clients', level: 'notice', found, remedy };
  }
  return {
    check: 'clients',
    level: 'problem',
    found,
    remedy: `A repair removes the entry and keeps a copy of the file as ${file}.bak.`,
    repair: async () => {
      const warnings = await removeFromClient(client, name, context, { url, keepsBackup: true });
      if (warnings.length > 0) throw new Error(warnings.join(' '));
    },
  };
}
