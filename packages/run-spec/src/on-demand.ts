import type { JsonObject } from '@portolan/plugin-api';
import type { ServerSettings } from './registry-entry/server-settings.ts';

/**
 * See `registry-entry/read-server-settings.ts`, which is loaded by the first call: what it reads documents with
 * is large, and few commands look at a registry.
 */
export async function readServerSettings(published: JsonObject): Promise<ServerSettings> {
  const reader = await import('./registry-entry/read-server-settings.ts');
  return reader.readServerSettings(published);
}
