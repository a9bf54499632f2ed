import { networkModeOf } from '../permissions/permission-profile.ts';
import type { RunConfig } from './run-config.ts';

/**
 * A run config whose fields agree: a proxy speaks streamable HTTP for `stdio`
 * unless told otherwise and the transport itself for the others; a network that
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

/** What the proxy speaks to clients. */
export function proxyModeOf(transport: string, proxyMode: string): string {
  if (transport === '') return proxyMode;
  if (transport !== 'stdio') return transport;
  return proxyMode === '' ? 'streamable-http' : proxyMode;
}
