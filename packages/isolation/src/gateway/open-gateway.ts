import { type GatewayOptions, type OpenGateway, GatewayParts, mapsUsers } from './gateway-parts.ts';
import { chmod } from 'node:fs/promises';
import { gatewayNotAdopted } from './gateway-errors.ts';
import { provideGatewayImage } from './gateway-image.ts';
import { gatewaySpec } from './gateway-spec.ts';

/** Starting gateway. Containers that join its network can be created but not started. */
export interface StartingGateway extends Pick<OpenGateway, 'containerId' | 'network' | 'environment'> {
  /** Resolves when the relay listens. On rejection nothing is left of the gateway. */
  ready(): Promise<OpenGateway>;
}

/**
 * Waits until the relay listens. Throws ERR_GATEWAY, ERR_SETTING, and errors of the runtime; then nothing is
 * left.
 */
export async function openGateway(options: GatewayOptions): Promise<OpenGateway> {
  return await (await beginGateway(options)).ready();
}

/** Works like `openGateway` in two steps, for callers with other work meanwhile. They must call `ready`. */
export async function beginGateway(options: GatewayOptions): Promise<StartingGateway> {
  const { runtime, engine, signal } = options;
  const image = await provideGatewayImage({ ...options, base: options.gatewayImage });
  const parts = new GatewayParts(options);
  try {
    // With a user namespace, ids differ. The parent folder denies access to all other users of this machine.
    if (mapsUsers(engine)) await chmod(options.folder, 0o777);
    const spec = gatewaySpec({ ...options, image, user: options.user ?? ownUser() });
    const [opened, created] = await Promise.allSettled([
      parts.openGate(),
      runtime.createContainer(spec, signal),
    ]);
    if (created.status === 'rejected') throw created.reason;
    parts.containerId = created.value;
    if (opened.status === 'rejected') throw opened.reason;
  } catch (error) {
    await parts.undo();
    throw error;
  }
  const started = parts.start();
  started.catch(() => undefined); // `ready` reports the error
  const opened = parts.opened();
  return {
    containerId: opened.containerId,
    network: opened.network,
    environment: opened.environment,
    ready: async () => {
      try {
        await started;
        return opened;
      } catch (error) {
        await parts.undo();
        throw error;
      }
    },
  };
}

/**
 * Opens the gate of a gateway whose supervisor died. Throws ERR_GATEWAY_GONE when the container does not run,
 * or its sockets used an attachment of that supervisor. The container stays unchanged.
 */
export async function adoptGateway(options: GatewayOptions, containerId: string): Promise<OpenGateway> {
  const { workload, runtime, engine, signal } = options;
  if (!engine.sharesSockets) throw gatewayNotAdopted(workload, 'it is on another machine');
  const container = await runtime.inspectContainer(containerId, signal);
  if (container?.state.running !== true) {
    throw gatewayNotAdopted(workload, container === undefined ? 'there is none' : 'it does not run');
  }
  const parts = new GatewayParts(options);
  parts.containerId = container.id;
  try {
    await parts.openGate();
    await parts.untilReady();
    return parts.opened();
  } catch (error) {
    await parts.release();
    throw error;
  }
}

function ownUser(): { readonly uid: number; readonly gid: number } | undefined {
  const { getuid, getgid } = process;
  return getuid === undefined || getgid === undefined ? undefined : { uid: getuid(), gid: getgid() };
}
