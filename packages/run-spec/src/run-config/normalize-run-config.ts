import { networkModeOf } from '../permissions/permission-profile.ts';
import type { RunConfig } from './run-config.ts';
import { proxyModeOf } from './transports.ts';

/**
 * Makes fields consistent: a proxy speaks an HTTP transport, otherwise streamable HTTP by default. A network
 * other than the bridge is not isolated.
 */
export function normalizeRunConfig(config: RunConfig): RunConfig {
  return {
    ...config,
    proxy_mode: proxyModeOf(config.transport, config.proxy_mode),
    isolate_network:
      config.isolate_network && networkModeOf(config.permission_profile?.network?.mode).mode === 'bridge',
  };
}
