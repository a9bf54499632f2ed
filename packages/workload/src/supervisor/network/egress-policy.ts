import type { EngineDescription, ContainerEngine } from '@portolan/plugin-api';
import { type PermissionProfile, networkModeOf } from '@portolan/run-spec';
import { readEgressRules } from '@portolan/outbound';
import { type EgressPolicy, readEngineNetworks, readUpstreamProxies } from '@portolan/isolation';

export interface EgressFacts {
  readonly runtime: Pick<ContainerEngine, 'listNetworks'>;
  readonly engine: Pick<EngineDescription, 'sharesSockets'>;
  readonly allowContainerGateway: boolean;
  /** Environment with `HTTPS_PROXY` and `NO_PROXY`; default: no upstream proxy. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly lookup?: (name: string) => Promise<readonly string[]>;
}

/**
 * Returns the egress policy of a permission profile; undefined for the network mode `none`. Throws
 * ERR_PERMISSION_PROFILE or ERR_PROXY_INVALID.
 */
export function egressPolicyOf(profile: PermissionProfile, facts: EgressFacts): EgressPolicy | undefined {
  const { runtime, engine, allowContainerGateway, environment, lookup } = facts;
  if (networkModeOf(profile.network?.mode).mode === 'none') return undefined;
  return {
    rules: readEgressRules(profile.network),
    allowContainerGateway,
    context: {
      readEngineNetworks: () => readEngineNetworks(runtime, engine.sharesSockets),
      ...(lookup === undefined ? {} : { lookup }),
    },
    ...(environment === undefined ? {} : { upstream: readUpstreamProxies(environment) }),
  };
}
