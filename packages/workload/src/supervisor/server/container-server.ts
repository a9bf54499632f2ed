import { lookup } from 'node:dns/promises';
import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { isIP } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type {
  ContainerDescription,
  EngineDescription,
  ImageDescription,
  ContainerEngine,
  Transport,
} from '@portolan/plugin-api';
import {
  type RunConfig,
  containerNameOf,
  networkModeOf,
  parsePublishedPort,
  stdioSessionsOf,
} from '@portolan/run-spec';
import { type GatewayOptions, makeRuntimeFolder, provideGatewayImage } from '@portolan/isolation';
import { BuiltIds } from '../../build/images/built-ids.ts';
import { madeFor } from '../../build/images/image-labels.ts';
import { workloadLabels } from '../../state/workload-labels.ts';
import { egressPolicyOf } from '../network/egress-policy.ts';
import { watchEngine } from './engine-watch.ts';
import { requireOwnName } from '../container/own-containers.ts';
import { imageGone, configIncomplete } from '../supervise-errors.ts';
import { runtimeIdOf } from '../../state/directories.ts';
import { ContainerStarter, type StarterParts } from './container-starter.ts';
import { type Adopted, chooseAdopted, NOTHING_ADOPTED, removeLeftovers } from './leftovers.ts';
import { MessageServer } from './message-server.ts';
import { openHttpServer } from './open-http-server.ts';
import { openOverlays } from './open-overlays.ts';
import type { ServerSide } from './server-side.ts';
import { SessionNetwork } from '../network/session-network.ts';
import type { Supervision } from '../supervision.ts';
import { WorkloadNetwork } from '../network/workload-network.ts';

interface Engine {
  readonly runtime: ContainerEngine;
  readonly engine: EngineDescription;
  readonly image: ImageDescription;
  readonly transport: Transport;
  readonly containers: readonly ContainerDescription[];
}

/**
 * Prepares the image and the network of a server, and removes containers of an earlier supervisor that cannot
 * be adopted. Throws ERR_WORKLOAD_EXISTS for a name that another state folder uses on this engine, and what
 * the engine and the gateway throw.
 */
export async function openContainerServer(
  work: Supervision,
  containers: ContainerEngine,
): Promise<ServerSide> {
  const { config, context, lifecycle, state } = work;
  if (config.transport === '') throw configIncomplete(config.name, 'transport');
  const open = await openEngine(work, containers);
  const { runtime, engine, transport, image } = open;
  const sessions = sessionsOf(config, transport);
  const publishAddress = await addressOf(config.host);
  const isKept = transport.carries === 'http' || sessions === 'shared';
  const adopted = chooseAdopted({
    ...open,
    isShared: isKept && (transport.carries === 'http' || engine.keepsInputOpen),
    needsGateway: needsGateway(config, transport),
  });
  await removeLeftovers(open.containers, adopted, runtime, context.logger);
  // Only one network can publish a port on the host. Sessions with published ports therefore share a network
  // instead of having their own.
  const hasOwnNetworks = !isKept && config.publish.length === 0 && needsGateway(config, transport);
  const openSessionNetwork = hasOwnNetworks ? await openSessionNetworks(work, open) : undefined;
  const { network, adopted: kept } = hasOwnNetworks
    ? { network: undefined, adopted: NOTHING_ADOPTED }
    : await openNetwork(work, open, publishAddress, adopted);
  const parts = { runtime, engine, image, transport, network, openSessionNetwork, publishAddress };
  const serves = isKept ? 'shared' : 'session';
  const isSameImage =
    state.imageDigest === '' || state.imageDigest === image.id || wasReported(state.imageDigest, image);
  const findOverlays = await openOverlays(work);
  const starter = new ContainerStarter(
    work,
    { ...parts, serves, findOverlays },
    state.writableRoot && isSameImage,
  );
  lifecycle.signal.throwIfAborted();
  context.logger.debug(
    {
      image: image.id,
      transport: config.transport,
      sessions,
      network: hasOwnNetworks
        ? 'isolated, one for each session'
        : network === undefined
          ? 'open'
          : 'isolated',
      outbound: config.permission_profile?.network?.outbound,
      container_gateway: config.allow_docker_gateway,
      takes_over: kept,
      writable_root: starter.writableRoot,
    },
    'containers of the server',
  );
  watchEngine(work, runtime);
  if (transport.carries === 'http') return openHttpServer(work, starter, kept.server);
  const mode = config.proxy_mode === 'sse' ? 'sse' : 'streamable-http';
  return new MessageServer(work, starter, { transport, mode, sessions, adopted: kept.server });
}

async function openEngine(work: Supervision, runtime: ContainerEngine): Promise<Engine> {
  const { config, context, lifecycle, state } = work;
  const { signal } = lifecycle;
  const transport = await context.kinds.openTransport(config.transport);
  if (transport.carries === 'http' && config.target_port === 0) {
    throw configIncomplete(config.name, 'target_port');
  }
  const requested = state.imageDigest === '' ? config.image : state.imageDigest;
  const [engine, containers, exact] = await Promise.all([
    runtime.describe(signal),
    requireOwnName(config.name, runtime, context.directories, signal),
    runtime.inspectImage(requested, signal),
  ]);
  const image = exact ?? (await runtime.inspectImage(config.image, signal));
  if (image === undefined) throw imageGone(config.image, 'it was removed in the meantime');
  return { runtime, engine, image, transport, containers };
}

function wasReported(digest: string, image: ImageDescription): boolean {
  return image.digests.some((one) => one === digest || one.endsWith(`@${digest}`));
}

function sessionsOf(config: RunConfig, transport: Transport): 'own' | 'shared' {
  return transport.carries === 'http' ? 'shared' : stdioSessionsOf(config);
}

/**
 * Returns whether the workload needs a gateway. With the network mode `none`, the gateway only lets traffic
 * in to the server's ports.
 */
function needsGateway(config: RunConfig, transport: Transport): boolean {
  const { mode } = networkModeOf(config.permission_profile?.network?.mode);
  if (mode === 'none') return transport.carries === 'http' || config.publish.length > 0;
  return mode === 'bridge' && config.isolate_network;
}

const OPENING = { report: 'step', step: 'gateway', text: 'Opening the isolated network' } as const;

function gatewayOf(
  { config, context, output }: Supervision,
  { runtime, engine }: Engine,
): Omit<GatewayOptions, 'containerName' | 'folder' | 'ingress'> {
  const { environment, logger, directories, user } = context;
  return {
    workload: config.name,
    labels: workloadLabels(config, 'gateway', directories),
    egress: egressPolicyOf(config.permission_profile ?? {}, {
      runtime,
      engine,
      allowContainerGateway: config.allow_docker_gateway,
      environment,
    }),
    runtime,
    engine,
    gatewayImage: user.gatewayImage,
    imageLabels: madeFor(directories),
    madeImages: new BuiltIds(directories),
    onEvent: (event) => output.egress(event),
    logger,
  };
}

/**
 * Creates the folder for the sockets of a gateway. The folders of sessions are inside the workload's folder.
 */
function makeFolder({ config, context }: Supervision, below: string): Promise<string> {
  const { environment, directories } = context;
  return makeRuntimeFolder(path.join(runtimeIdOf(config.name, directories), below), {
    environment,
    temporary: os.tmpdir(),
    uid: process.getuid?.(),
    platform: process.platform,
  });
}

/** Prepares a separate network for each session, so that processes of sessions cannot reach each other. */
async function openSessionNetworks(
  work: Supervision,
  open: Engine,
): Promise<StarterParts['openSessionNetwork']> {
  const { lifecycle, opened } = work;
  work.report(OPENING);
  const common = gatewayOf(work, open);
  const folder = await makeFolder(work, '');
  // Remove folders that the sessions of a dead supervisor left.
  for (const left of await readdir(folder))
    await rm(path.join(folder, left), { recursive: true, force: true });
  opened.push('network', () => rm(folder, { recursive: true, force: true }));
  await provideGatewayImage({ ...common, base: common.gatewayImage, signal: lifecycle.signal });
  const gateway = { ...common, ingress: [] };
  return async (name, signal) => {
    await makeFolder(work, ''); // another process may have removed the folder as an empty leftover
    const own = await makeFolder(work, randomBytes(4).toString('hex'));
    return await SessionNetwork.begin({ gateway, name, folder: own }, signal);
  };
}

async function openNetwork(
  work: Supervision,
  open: Engine,
  publishAddress: string,
  adopted: Adopted,
): Promise<{ readonly network: WorkloadNetwork | undefined; readonly adopted: Adopted }> {
  const { config, context, lifecycle, order, opened } = work;
  const { runtime, transport } = open;
  if (!needsGateway(config, transport)) return { network: undefined, adopted };
  work.report(OPENING);
  const publish = config.publish.map((text) => parsePublishedPort(text, 'publish'));
  const ports = publish.map(({ containerPort }) => containerPort);
  const { logger } = context;
  const network = new WorkloadNetwork({
    workload: config.name,
    gateway: {
      ...gatewayOf(work, open),
      containerName: `${containerNameOf(config.name)}-gateway`,
      folder: await makeFolder(work, ''),
      ingress: [...new Set(transport.carries === 'http' ? [config.target_port, ...ports] : ports)],
    },
    runtime,
    publish,
    publishAddress,
    foreground: order.foreground,
    lifecycle,
    logger,
  });
  opened.push('network', () => network.close());
  if (adopted.gateway !== undefined) {
    try {
      await network.open(adopted.gateway);
      return { network, adopted };
    } catch (error) {
      lifecycle.signal.throwIfAborted();
      logger.warn({ error }, 'gateway cannot be taken over; all containers are restarted');
      const ids = [adopted.server, adopted.gateway].filter((id) => id !== undefined);
      await Promise.all(ids.map((id) => runtime.removeContainer(id)));
    }
  }
  await network.open(undefined);
  return { network, adopted: NOTHING_ADOPTED };
}

/** Returns the IP address on which to publish ports, because engines accept no host names. */
async function addressOf(host: string): Promise<string> {
  if (host === '') return '127.0.0.1';
  return isIP(host) === 0 ? (await lookup(host, { verbatim: false })).address : host;
}
