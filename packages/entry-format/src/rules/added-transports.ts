import { PACKAGE_TRANSPORTS } from '../schemas/server-schema.ts';
import { isJsonObject, listOf, memberOf, textOf } from '../json-value.ts';

/** Package transports besides those of the schema, by name. `any` leaves the check to another component. */
export type AddedTransports = readonly string[] | 'any';

/** Form of a plugin kind's name. */
const KIND_NAME = /^[a-z][A-Za-z0-9-]*$/;

/**
 * Returns a server document for the schema, in which each added transport of a package is replaced by one of
 * the schema: a URL-based one when it has an address. Everything else stays unchanged.
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
