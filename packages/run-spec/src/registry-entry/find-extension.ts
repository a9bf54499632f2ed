import type { JsonObject } from '@portolan/plugin-api';
import { isJsonObject, memberOf } from '../document/json-members.ts';

/** `entry-format` defines the same; importing it would load its schema compiler with every command. */
export const PUBLISHER_PROVIDED = 'io.modelcontextprotocol.registry/publisher-provided';

/** Catalogues store run settings under these keys. */
const VENDORS = ['io.github.stacklok'] as const;

/**
 * Returns the object under the first existing key (an image, a URL), otherwise the only object: ignoring it
 * would run the server with more permissions than published.
 */
export function findExtension(document: JsonObject, keys: readonly string[]): JsonObject | undefined {
  const publisher = memberOf(memberOf(document, '_meta'), PUBLISHER_PROVIDED);
  for (const vendor of VENDORS) {
    const extensions = memberOf(publisher, vendor);
    const found = keys.map((key) => memberOf(extensions, key)).find(isJsonObject);
    if (found !== undefined) return found;
    const all = isJsonObject(extensions) ? Object.values(extensions).filter(isJsonObject) : [];
    if (all.length === 1) return all[0];
  }
  return undefined;
}
