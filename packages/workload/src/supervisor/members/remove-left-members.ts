import type { Members } from '@portolan/run-spec';
import { memberConfigsOf } from '../../state/member-config.ts';
import { ownLabels, WORKLOAD_LABELS } from '../../state/workload-labels.ts';
import { requireOwnName } from '../container/own-containers.ts';
import { removeForCertain } from '../server/engine-calls.ts';
import type { Supervision } from '../supervision.ts';

/**
 * Removes containers and networks that an earlier supervisor left, except those of members that still have a
 * server: these adopt or remove their own. Contacts the engine only if a member had a container.
 */
export async function removeLeftMembers(work: Supervision, members: Members): Promise<void> {
  const { config, context, lifecycle, state } = work;
  const { signal } = lifecycle;
  const remaining = memberConfigsOf({ ...config, members });
  const hadServers = Object.entries(state.members).some(
    ([name, { server }]) => server !== undefined && !remaining.has(name),
  );
  if (!hadServers) return;
  const runtime = await context.kinds.openRuntime();
  const isLeft = ({ labels }: { readonly labels: Readonly<Record<string, string>> }): boolean =>
    !remaining.has(labels[WORKLOAD_LABELS.member] ?? '');
  if (runtime.runs === 'workloads') {
    const servers = await runtime.host.listServers(ownLabels(config.name, context.directories), signal);
    await Promise.all(
      servers.filter(isLeft).map(({ id }) => runtime.host.removeServer(id, { graceMs: 0, signal })),
    );
    return;
  }
  const containers = await requireOwnName(config.name, runtime.engine, context.directories, signal);
  await Promise.all(
    containers.filter(isLeft).map(({ id }) => removeForCertain(runtime.engine, id, context.logger)),
  );
}
