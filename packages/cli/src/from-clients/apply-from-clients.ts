import { createHash } from 'node:crypto';
import { chooseProvider, type AppliedWorkload, type ApplyPlan } from '@portolan/workload';
import { findForeignEntries, type ForeignEntry, moveEntries } from '@portolan/workload/clients';
import { applyFile, planWorkloads } from '@portolan/workload/run';
import type { OpenedContext } from '../context/open-workload-context.ts';
import type { MovePlan } from './format-moving.ts';
import { findMovable, nameSecrets, type NamedServers } from './movable-servers.ts';
import { findSecretValue, removeSecrets, storeSecrets, unusedSecrets } from './store-moved-secrets.ts';

type ApplyOptions = Parameters<typeof applyFile>[2];

export interface FromClientsOptions
  extends Omit<ApplyOptions, 'prune' | 'reread' | 'confirm' | 'plannedSecrets' | 'keepsExisting'> {
  /** Ids of the clients, or `all`. */
  readonly clients: readonly string[];
  /** Whether to write the workloads into the files of the clients, in place of the servers. */
  readonly replaces: boolean;
  readonly dryRun: boolean;
  /** Shows the plan, and rejects if the user declines. */
  readonly confirm: (plan: ApplyPlan, moving: MovePlan) => Promise<void>;
}

/** Result of moving servers of clients into workloads. */
export interface MovedServers {
  readonly plan: ApplyPlan;
  readonly moving: MovePlan;
  /** Results of the workloads; undefined for a dry run. */
  readonly results: readonly AppliedWorkload[] | undefined;
  /** Changed files of clients, with their backups. */
  readonly files: Awaited<ReturnType<typeof moveEntries>>['files'];
  readonly warnings: readonly string[];
}

/**
 * Runs the servers of clients as workloads. Secrets of the entries go into the secret store. With `replaces`,
 * writes the workloads that run into the files of the clients, in place of the servers. A secret of a server that
 * did not become a workload is removed again. Throws like `applyFile`.
 */
export async function applyFromClients(
  { clients, replaces, dryRun, confirm, ...options }: FromClientsOptions,
  context: OpenedContext,
  signal: AbortSignal,
): Promise<MovedServers> {
  const found = await findForeignEntries(clients, context);
  const { moving: movable, staying } = findMovable(found.entries, context.environment);
  const { servers, toStore } = await nameAll(movable, context, signal);
  const plannedSecrets = new Set(toStore.keys());
  const moving: MovePlan = {
    servers,
    staying,
    warnings: found.warnings,
    secrets: [...plannedSecrets],
    replaces,
  };
  const source = {
    name: '',
    file: '',
    text: digestOf(found.entries),
    secrets: [],
    workloads: servers.map(({ workload }) => workload),
  };
  const planning = { prune: false, plannedSecrets, keepsExisting: true };
  if (dryRun) {
    const plan = await planWorkloads(source, context, planning, signal);
    return { plan, moving, results: undefined, files: [], warnings: [] };
  }
  let isStored = false;
  try {
    const { plan, results } = await applyFile(
      source,
      context,
      {
        ...options,
        ...planning,
        reread: async () => ({ text: digestOf((await findForeignEntries(clients, context)).entries) }),
        confirm: async (planned) => {
          await confirm(planned, moving);
          await storeSecrets(toStore, context, signal);
          isStored = true;
        },
      },
      signal,
    );
    await removeSecrets(unusedSecrets(plannedSecrets, servers, results), context);
    const moved = replaces ? movedIn(servers, results) : [];
    const { files, warnings } = await moveEntries(moved, context);
    return { plan, moving, results, files, warnings };
  } catch (error) {
    if (isStored) await removeUnusedAfterFailure(plannedSecrets, servers, context);
    throw error;
  }
}

/** Gives the secrets of servers names in the secret store. Throws if there are secrets, and no secret store. */
async function nameAll(
  movable: Parameters<typeof nameSecrets>[0],
  context: OpenedContext,
  signal: AbortSignal,
): Promise<NamedServers> {
  if (movable.every(({ secrets }) => secrets.size === 0)) return { servers: movable, toStore: new Map() };
  chooseProvider(context); // fails before the plan if there is no secret store
  return await nameSecrets(movable, async (name) => await findSecretValue(name, context, signal));
}

/** Returns the entries whose servers now run as workloads. */
function movedIn(
  servers: NamedServers['servers'],
  results: readonly AppliedWorkload[],
): Parameters<typeof moveEntries>[0] {
  return servers.flatMap(({ workload, origins }) => {
    const result = results.find((one) => one.name === workload.name);
    if (result === undefined || result.error !== undefined) return [];
    return origins.map((entry) => ({ entry, workload: workload.name }));
  });
}

/** Removes stored secrets after an abort, except those of workloads that were created before it. */
async function removeUnusedAfterFailure(
  names: ReadonlySet<string>,
  servers: NamedServers['servers'],
  context: OpenedContext,
): Promise<void> {
  const existing = new Set((await context.store.list()).map(({ name }) => name));
  const used = servers.filter(({ workload }) => existing.has(workload.name));
  const kept = new Set(used.flatMap(({ secrets }) => [...secrets.keys()]));
  await removeSecrets(
    [...names].filter((name) => !kept.has(name)),
    context,
  );
}

/** Returns a digest of entries, to notice an edit without keeping their text. */
function digestOf(entries: readonly ForeignEntry[]): string {
  return createHash('sha256').update(JSON.stringify(entries)).digest('hex');
}
