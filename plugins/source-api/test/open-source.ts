import type { PluginContext } from '@portolan/plugin-api';
import { createTestContext } from '@portolan/plugin-testing';
import type { ApiConfig } from '../src/index.ts';
import { RegistrySource } from '../src/registry-source.ts';

/** A block with all defaults. */
export function block(config: Partial<ApiConfig> & Pick<ApiConfig, 'endpoint'>): ApiConfig {
  return {
    types: ['server', 'skill', 'plugin'],
    fullSyncInterval: '24h',
    timeout: '5s',
    retries: 2,
    pageSize: 2,
    maxPageBytes: 100_000,
    maxPages: 50,
    maxEntries: 1000,
    ...config,
  };
}

/** A source that does not wait before it asks again, and keeps how long it would have waited. */
export function openSource(
  config: Partial<ApiConfig> & Pick<ApiConfig, 'endpoint'>,
  context: Partial<PluginContext> = {},
): { readonly source: RegistrySource; readonly waits: number[] } {
  const waits: number[] = [];
  const source = new RegistrySource(block(config), createTestContext(context), {
    pause: async (ms, signal) => {
      signal.throwIfAborted();
      waits.push(ms);
    },
    random: () => 0.5,
  });
  return { source, waits };
}
