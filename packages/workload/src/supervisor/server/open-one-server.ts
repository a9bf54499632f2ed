import { openContainerServer } from './container-server.ts';
import { remoteServer } from './remote-server.ts';
import type { OpenMessages } from '../idle/server-run.ts';
import type { ServerSide } from './server-side.ts';
import type { Supervision } from '../supervision.ts';

/** Returns whether the server of a run config runs only while clients use it. */
function runsOnDemand({ config }: Supervision): boolean {
  return config.stop_after_idle !== '' || config.start === 'lazy';
}

/**
 * Opens the server of a workload or of a member: a remote server, or one that the runtime runs. Calls
 * `meanwhile` before it waits for a remote server or a runtime's host. `openMessages` opens connections to a server
 * that speaks HTTP and stops while it is idle.
 */
export async function openOneServer(
  work: Supervision,
  meanwhile: (work: Supervision) => Promise<void>,
  openMessages?: OpenMessages,
): Promise<ServerSide> {
  if (work.config.remote_url !== '') {
    await meanwhile(work);
    return await remoteServer(work);
  }
  const runtime = await work.context.kinds.openRuntime();
  work.context.logger.debug({ runs: runtime.runs }, 'runtime chosen');
  if (runtime.runs === 'containers' && runsOnDemand(work)) {
    const { engine } = runtime;
    const { openIdleServer } = await import('../idle/open-idle-server.ts');
    return openIdleServer(work, (run) => openContainerServer(run, engine), openMessages);
  }
  if (runtime.runs === 'containers') return await openContainerServer(work, runtime.engine);
  await meanwhile(work);
  const { openHostServer } = await import('../host/open-host-server.ts');
  return await openHostServer(work, runtime.host);
}
