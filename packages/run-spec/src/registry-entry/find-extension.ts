import type { JsonObject } from '@portolan/plugin-api';
import { isJsonObject, memberOf } from '../document/json-members.ts';

/**
 * Key in a document's `_meta` below which publishers keep their own data; `entry-format` has the same. Importing
 * that one would load its schema compiler with every command.
 */
export const PUBLISHER_PROVIDED = 'io.modelcontextprotocol.registry/publisher-provided';

/** Vendor keys below which catalogues keep how a server is run. */
const VENDORS = ['io.github.stacklok'] as const;

/**
 * What a catalogue says about running a server beyond the document's own
 * fields: the object under the first of the keys (an image, a URL) that is
 * there. Where none is but only one object, that one: leaving it out would run
 * the server with more permissions than it was published with.
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
