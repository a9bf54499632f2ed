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
 * Returns the network policy of a build. The build may reach the given hosts and the user's allowed hosts,
 * all on port 443 and on the ports of the given hosts. Throws ERR_PERMISSION_PROFILE for an invalid setting.
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
    context: { readEngineNetworks: () => readEngineNetworks(runtime, engine.sharesSockets) },
    upstream: readUpstreamProxies(environment),
  };
}

export class RefusedHosts {
  readonly #seen = new Set<string>();

  readonly hear = ({ allowed, host, port }: EgressEvent): void => {
    if (!allowed) this.#seen.add(port === undefined ? host : `${host}:${port}`);
  };

  /**
   * Returns the hosts that the gateway refused. If a host was refused both with and without a port, only the
   * form with the port is listed.
   */
  list(): readonly string[] {
    const all = [...this.#seen].toSorted();
    return all.filter((one) => !all.some((other) => other.startsWith(`${one}:`)));
  }
}
