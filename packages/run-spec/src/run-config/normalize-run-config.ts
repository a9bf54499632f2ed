import { networkModeOf } from '../permissions/permission-profile.ts';
import type { RunConfig } from './run-config.ts';
import { proxyModeOf } from './transports.ts';

/**
 * Makes the fields of a run config consistent: a proxy speaks the transport if that is HTTP, otherwise
 * streamable HTTP unless configured otherwise. A network other than the bridge is not isolated.
 */
export function normalizeRunConfig(config: RunConfig): RunConfig {
  return {
    ...config,
    proxy_mode: proxyModeOf(config.transport, config.proxy_mode),
    isolate_network:
      config.isolate_network && networkModeOf(config.permission_profile?.network?.mode).mode === 'bridge',
  };
}
