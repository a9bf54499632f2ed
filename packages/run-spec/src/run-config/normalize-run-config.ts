import { networkModeOf } from '../permissions/permission-profile.ts';
import type { RunConfig } from './run-config.ts';
import { proxyModeOf } from './transports.ts';

/**
 * Makes fields consistent. The proxy mode becomes an HTTP transport, by default streamable HTTP. Isolation is
 * turned off for every network other than the bridge.
 */
export function normalizeRunConfig(config: RunConfig): RunConfig {
  return {
    ...config,
    proxy_mode: proxyModeOf(config.transport, config.proxy_mode),
    isolate_network:
      config.isolate_network && networkModeOf(config.permission_profile?.network?.mode).mode === 'bridge',
  };
}
