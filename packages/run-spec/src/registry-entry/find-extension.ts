import type { JsonObject } from '@portolan/plugin-api';
import { isJsonObject, memberOf } from '../document/json-members.ts';

/**
 * Key in a document's `_meta` for publishers' own data. `entry-format` defines the same; importing it would
 * load its schema compiler with every command.
 */
export const PUBLISHER_PROVIDED = 'io.modelcontextprotocol.registry/publisher-provided';

/** Vendor keys under which catalogues store run settings. */
const VENDORS = ['io.github.stacklok'] as const;

/**
 * Returns a catalogue's run settings beyond the document's own fields: the object under the first existing
 * one of the keys (an image, a URL). Otherwise it returns the only object, because ignoring it would run the
 * server with more permissions than published.
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
