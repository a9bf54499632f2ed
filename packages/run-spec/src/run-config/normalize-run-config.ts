import { networkModeOf } from '../permissions/permission-profile.ts';
import type { RunConfig } from './run-config.ts';
import { proxyModeOf } from './transports.ts';

/**
 * A run config whose fields agree: a proxy speaks what the transport speaks
 * where that is HTTP, else streamable HTTP unless told otherwise; a network that
 * is no bridge is not isolated.
 */
export function normalizeRunConfig(config: RunConfig): RunConfig {
  return {
    ...config,
    proxy_mode: proxyModeOf(config.transport, config.proxy_mode),
    isolate_network:
      config.isolate_network && networkModeOf(config.permission_profile?.network?.mode).mode === 'bridge',
  };
}
