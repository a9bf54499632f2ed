import { type ContainerFacts, isBuiltImage, userOf } from './container-user.ts';
import type {
  ContainerMount,
  ContainerNetwork,
  ContainerPort,
  ContainerSpec,
  Transport,
} from '@portolan/plugin-api';
import {
  type PathContext,
  type RunConfig,
  mountsOfProfile,
  networkModeOf,
  parsePublishedPort,
} from '@portolan/run-spec';
import { hardenContainer, type Hardening } from './harden-container.ts';

const LOOPBACK = '127.0.0.1';

/**
 * Returns the hardened spec of a container before any plugin changes it. Throws ERR_PERMISSION_PROFILE for a
 * mount that cannot be parsed.
 */
export function planContainer(config: RunConfig, facts: ContainerFacts): ContainerSpec {
  return hardenContainer(draftContainer(config, facts), hardeningOf(config, facts));
}

/**
 * Returns the container spec before hardening, which a tap on the hook `containerStart` applies later. Does
 * not check that mounts exist. Throws ERR_PERMISSION_PROFILE for a mount that cannot be parsed.
 */
export function draftContainer(config: RunConfig, facts: ContainerFacts): ContainerSpec {
  const { image, transport, serves, gateway, labels, name } = facts;
  const mounts = plannedMounts(config, facts);
  const spec: ContainerSpec = {
    name,
    image: image.id,
    command: config.cmd_args,
    environment: { ...config.env_vars, ...facts.secrets },
    labels,
    mounts,
    network: gateway?.network ?? networkOf(config),
    ports: gateway === undefined ? portsOf(config, transport, facts.publishAddress) : [],
    stdin: 'closed',
    // The supervisor reads the output itself. The engine would write it to disk without a bound.
    logs: 'none',
  };
  const port = transport.carries === 'http' ? config.target_port : undefined;
  const prepared = transport.prepareContainer(spec, { port, serves });
  const environment = withoutImages(prepared.environment, spec.environment, image.environment);
  return { ...prepared, environment: { ...environment, ...gateway?.environment } };
}

/**
 * Returns the restrictions of the container. Throws ERR_PERMISSION_PROFILE for a mount that cannot be parsed.
 */
export function hardeningOf(config: RunConfig, facts: ContainerFacts): Hardening {
  const { image, engine, writableRoot } = facts;
  const hasMounts = plannedMounts(config, facts).length > 0;
  const user = userOf({ ...facts, isBuilt: isBuiltImage(config.image), hasMounts });
  return {
    privileged: config.permission_profile?.privileged === true,
    writableRoot,
    user,
    hasHome: Object.hasOwn(image.environment, 'HOME') || (user === undefined && !isNumbered(image.user)),
    limits: engine.defaultLimits,
  };
}

/** Returns whether an image names its user only by number. Such a user may have no home folder. */
function isNumbered(user: string): boolean {
  return /^[1-9]\d*(?::\d+)?$/.test(user);
}

export function plannedMounts(
  config: RunConfig,
  { paths, overlays }: Pick<ContainerFacts, 'paths' | 'overlays'>,
): readonly ContainerMount[] {
  return [...mountsOf(config.permission_profile, paths), ...overlays];
}

/** Returns the mounts of a profile, which include those of `--volume`. Throws ERR_PERMISSION_PROFILE. */
export function mountsOf(
  profile: RunConfig['permission_profile'],
  paths: PathContext,
): readonly ContainerMount[] {
  const { mounts } = mountsOfProfile(profile ?? {}, 'permission_profile', paths);
  return mounts.map(({ host, volume, container, readOnly }) =>
    volume === undefined
      ? { type: 'bind', source: host, target: container, readOnly }
      : { type: 'volume', name: volume, target: container, readOnly },
  );
}

function networkOf(config: RunConfig): ContainerNetwork {
  const network = networkModeOf(config.permission_profile?.network?.mode);
  return network.mode === 'named' ? { mode: 'named', name: network.name } : { mode: network.mode };
}

/**
 * Returns the port of the proxy and those of `--publish`. The proxy's port is on loopback, with a number that
 * the engine chooses, so that it opens no way around the proxy.
 */
function portsOf(config: RunConfig, transport: Transport, publishAddress: string): readonly ContainerPort[] {
  const { mode } = networkModeOf(config.permission_profile?.network?.mode);
  if (mode === 'host' || mode === 'none') return [];
  const published = config.publish.map((text): ContainerPort => {
    const { hostPort, containerPort } = parsePublishedPort(text, 'publish');
    return {
      containerPort,
      hostAddress: publishAddress,
      ...(hostPort === undefined ? {} : { hostPort }),
    };
  });
  if (transport.carries !== 'http') return published;
  return [{ containerPort: config.target_port, hostAddress: LOOPBACK }, ...published];
}

function withoutImages(
  prepared: Readonly<Record<string, string>>,
  input: Readonly<Record<string, string>>,
  ofImage: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const remaining = Object.entries(prepared).filter(
    ([key]) => Object.hasOwn(input, key) || !Object.hasOwn(ofImage, key),
  );
  return Object.fromEntries(remaining);
}
