import type { JsonObject } from '@portolan/plugin-api';
import { isJsonObject, memberOf } from '../document/json-members.ts';

/**
 * Key of publisher metadata in `_meta`. It repeats that of `entry-format`, because an import would load its
 * schema compiler with every command.
 */
export const PUBLISHER_PROVIDED = 'io.modelcontextprotocol.registry/publisher-provided';

/** Vendors under whose keys catalogues store run settings. */
const VENDORS = ['io.github.stacklok'] as const;

/**
 * Returns the publisher's object under the first existing key (an image, a URL), otherwise the only object.
 * Ignoring an object under another key would run the server with more permissions than published.
 */
export function findExtension(document: JsonObject, keys: readonly string[]): JsonObject | undefined {
  const publisher = memberOf(memberOf(document, '_meta'), PUBLISHER_PROVIDED);
  for (const vendor of VENDORS) {
    const extensions = memberOf(publisher, vendor);
    const extension = keys.map((key) => memberOf(extensions, key)).find(isJsonObject);
    if (extension !== undefined) return extension;
    const all = isJsonObject(extensions) ? Object.values(extensions).filter(isJsonObject) : [];
    if (all.length === 1) return all[0];
  }
  return undefined;
}
