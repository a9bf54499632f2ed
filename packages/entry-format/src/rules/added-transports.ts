import { PACKAGE_TRANSPORTS } from '../schemas/server-schema.ts';
import { isJsonObject, listOf, memberOf, textOf } from '../json-value.ts';

/**
 * Transports that packages may have beside those of the schema, by their names;
 * `any` is for who leaves the judgement to somebody else.
 */
export type AddedTransports = readonly string[] | 'any';

/** What the kinds of plugins are called. */
const KIND_NAME = /^[a-z][A-Za-z0-9-]*$/;

/**
 * A server document as the schema is to see it: where a package has an added
 * transport, one of the schema's stands in its place, that of an address where
 * it names one. Everything else, and every other place, is as it was.
 */
export function withKnownTransports(document: unknown, added: AddedTransports): unknown {
  if (added.length === 0 || !isJsonObject(document)) return document;
  const hasAdded = (item: unknown) => {
    const type = textOf(memberOf(item, 'transport'), 'type');
    if (type === undefined || PACKAGE_TRANSPORTS.includes(type)) return false;
    return added === 'any' ? KIND_NAME.test(type) : added.includes(type);
  };
  if (!listOf(document, 'packages').some(hasAdded)) return document;
  const packages = listOf(document, 'packages').map((item) => (hasAdded(item) ? withKnown(item) : item));
  return { ...document, packages };
}

function withKnown(item: unknown): unknown {
  const transport = memberOf(item, 'transport');
  if (!isJsonObject(item) || !isJsonObject(transport)) return item;
  const type = memberOf(transport, 'url') === undefined ? 'stdio' : 'streamable-http';
  return { ...item, transport: { ...transport, type } };
}
