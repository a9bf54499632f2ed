import type { Document } from 'yaml';
import type { Fields, ServerMap } from './yaml-servers.ts';

/** Returns the content as maps, which keep the order and the type of keys. */
export function contentOf(document: Document): unknown {
  return document.toJS({ mapAsMap: true });
}

export function withItem(
  { document, key, isList }: ServerMap,
  index: number,
  name: string,
  fields: Fields,
): unknown {
  const content = contentOf(document);
  const map = new Map(content instanceof Map ? content : []);
  const item = new Map(Object.entries(fields));
  const servers: unknown = map.get(key);
  if (!isList) return map.set(key, new Map(servers instanceof Map ? servers : []).set(name, item));
  const items: readonly unknown[] = Array.isArray(servers) ? servers : [];
  return map.set(key, index === -1 ? [...items, item] : items.with(index, item));
}

export function withoutItem({ document, key, isList }: ServerMap, index: number, name: string): unknown {
  const content = contentOf(document);
  const map = new Map(content instanceof Map ? content : []);
  const servers: unknown = map.get(key);
  if (isList) return map.set(key, Array.isArray(servers) ? servers.toSpliced(index, 1) : []);
  const left = new Map(servers instanceof Map ? servers : []);
  left.delete(name);
  return map.set(key, left);
}

export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    member instanceof Map
      ? { map: [...member].toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1)) }
      : typeof member === 'bigint'
        ? `${member}n`
        : member,
  );
}
