import type { BuildHost, EngineDescription, ContainerEngine } from '@portolan/plugin-api';
import { readEgressRules } from '@portolan/outbound';
import {
  type EgressEvent,
  type EgressPolicy,
  readEngineNetworks,
  readUpstreamProxies,
} from '@portolan/isolation';
import type { BuildContext } from './build-request.ts';

/**
 * What a build may reach: these hosts on their ports, those of the user's
 * setting on the same ports and on that of HTTPS, through the proxy of the host
 * where there is one. Throws ERR_PERMISSION_PROFILE for the setting.
 */
export function buildPolicy(
  hosts: readonly BuildHost[],
  { user, environment }: Pick<BuildContext, 'user' | 'environment'>,
  runtime: Pick<ContainerEngine, 'listNetworks'>,
  engine: Pick<EngineDescription, 'sharesSockets'>,
): EgressPolicy {
  const ports = [443, ...hosts.map(({ port }) => port)];
  return {
    rules: readEgressRules({
      outbound: { allow_host: [...hosts.map(({ host }) => host), ...user.buildAllowHost], allow_port: ports },
    }),
    allowContainerGateway: false,
    surroundings: { readEngineNetworks: () => readEngineNetworks(runtime, engine.sharesSockets) },
    upstream: readUpstreamProxies(environment),
  };
}

/** Hears what a build was refused. */
export class RefusedHosts {
  readonly #seen = new Set<string>();

  readonly hear = ({ allowed, host, port }: EgressEvent): void => {
    if (!allowed) this.#seen.add(port === undefined ? host : `${host}:${port}`);
  };

  /** In order; a name alone is left out where it stands with a port too. */
  list(): readonly string[] {
    const all = [...this.#seen].toSorted();
    return all.filter((one) => !all.some((other) => other.startsWith(`${one}:`)));
  }
}
