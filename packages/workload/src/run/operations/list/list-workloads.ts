import type { Labels } from '@portolan/plugin-api';
import { roleOf, WORKLOAD_LABELS } from '../../../state/workload-labels.ts';
import type { WorkloadContext } from '../../../workload-context.ts';
import { requireGroup } from '../../steps/check/require-group.ts';
import { type EngineView, examineAndKeep, lookAtEngine, type SeenServer } from './examine-workload.ts';
import { listingOf } from './listing-of.ts';
import type { ListFilter, WorkloadList, WorkloadListing } from './workload-listing.ts';

/**
 * Returns the workloads of this user by name, with their verified status. Contacts the engine only for
 * workloads without a supervisor and for `all`, which includes containers without a state. Throws
 * ERR_GROUP_UNKNOWN.
 */
export async function listWorkloads(
  context: WorkloadContext,
  filter: ListFilter = {},
  signal?: AbortSignal,
): Promise<WorkloadList> {
  const stored = await context.store.list();
  if (filter.group !== undefined) await requireGroup(filter.group, context);
  const engine = lookAtEngine(context, signal);
  const examined = await Promise.all(
    stored.map((workload) => examineAndKeep(workload, engine, context, signal)),
  );
  const listings = examined.flatMap((workload) => (workload === undefined ? [] : [listingOf(workload)]));
  const notes: string[] = [];
  if (filter.all === true) {
    const view = await engine();
    if ('fault' in view) notes.push(`Containers without a state could not be listed: ${view.fault}.`);
    listings.push(...orphans(view, new Set(stored.map(({ name }) => name))));
  }
  const shown = listings.filter((listing) => isShown(listing, filter));
  return { workloads: shown.toSorted((one, other) => (one.name < other.name ? -1 : 1)), notes };
}

function isShown(listing: WorkloadListing, { all = false, group, labels = {} }: ListFilter): boolean {
  if (!all && listing.status === 'stopped') return false;
  if (group !== undefined && listing.group !== group) return false;
  return Object.entries(labels).every(([key, value]) => listing.labels[key] === value);
}

function orphans(view: EngineView, known: ReadonlySet<string>): readonly WorkloadListing[] {
  if (!('containers' in view)) return [];
  const byName = new Map<string, SeenServer[]>();
  for (const container of view.containers) {
    const name = container.labels[WORKLOAD_LABELS.name] ?? '';
    if (name === '' || known.has(name) || roleOf(container.labels) === 'build') continue;
    byName.set(name, [...(byName.get(name) ?? []), container]);
  }
  return [...byName].map(([name, containers]) => orphanListing(name, containers));
}

function orphanListing(name: string, containers: readonly SeenServer[]): WorkloadListing {
  const server = containers.find(({ labels }) => roleOf(labels) === 'server');
  const shown = server ?? containers[0];
  const labels: Labels = shown?.labels ?? {};
  const transport = labels[WORKLOAD_LABELS.transport] ?? '';
  const count = containers.length === 1 ? `a ${shown?.sort}` : `${containers.length} ${shown?.sort}s`;
  return {
    name,
    package: server?.image ?? '',
    status: 'unknown',
    status_context: `the ${shown?.sort === 'server' ? 'host' : 'engine'} has ${count} of it, but it has no state; \`portolan rm ${name}\` removes them`,
    url: '',
    port: Number(labels[WORKLOAD_LABELS.port] ?? 0) || 0,
    transport,
    transport_type: transport,
    proxy_mode: '',
    group: labels[WORKLOAD_LABELS.group] ?? 'default',
    labels: {},
    created_at: shown?.createdAt.toISOString() ?? '',
    started_at: '',
    remote: false,
    member_count: undefined,
  };
}
