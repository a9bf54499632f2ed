import { isPortolanError, type WorkloadHost } from '@portolan/plugin-api';
import { requireOwnServers } from '../container/own-containers.ts';
import { configIncomplete } from '../supervise-errors.ts';
import type { ServerSide } from '../server/server-side.ts';
import type { Supervision } from '../supervision.ts';
import { HostServer } from './host-server.ts';
import { planHostedServer } from './plan-hosted-server.ts';
import { hostWarnings, requireHostGives } from './require-host-gives.ts';

/**
 * Opens a workload on a runtime without a container engine, after removing what an earlier supervisor left on
 * its host. Throws ERR_RUNTIME_CANNOT for features that the host does not support, ERR_WORKLOAD_EXISTS for a
 * name that another state folder uses there, and what the host throws.
 */
export async function openHostServer(work: Supervision, host: WorkloadHost): Promise<ServerSide> {
  const { config, context, lifecycle, report } = work;
  if (config.transport === '') throw configIncomplete(config.name, 'transport');
  const { signal } = lifecycle;
  const description = await host.describe(signal);
  requireHostGives(config, description);
  for (const text of hostWarnings(description)) report({ report: 'warning', text });
  const left = await requireOwnServers(config.name, host, context.directories, signal);
  await Promise.all(left.map(({ id }) => host.removeServer(id, { graceMs: 0, signal })));
  const transport = await context.kinds.openTransport(config.transport);
  const planned = await planHostedServer(work, transport, description);
  const server = new HostServer(work);
  try {
    server.take(await host.open(planned, server.events, signal));
  } catch (error) {
    signal.throwIfAborted();
    if (!isPortolanError(error)) context.logger.warn({ error }, 'the host could not open the server');
    throw error;
  }
  return server;
}
