import { type EntryType, TYPE_WORDS } from './entry.ts';

export function registryPage(registry: string): string {
  return `/browse/${encodeURIComponent(registry)}`;
}

/** Returns the path of the page of an entry, with its namespace and name as two segments. */
export function entryPage(
  registry: string,
  { type, name }: { readonly type: EntryType; readonly name: string },
): string {
  const at = name.lastIndexOf('/');
  const namespace = at < 0 ? '-' : name.slice(0, at);
  return [
    registryPage(registry),
    TYPE_WORDS[type].path,
    encodeURIComponent(namespace),
    encodeURIComponent(name.slice(at + 1)),
  ].join('/');
}

export function nameOfSegments(namespace = '', name = ''): string {
  return namespace === '-' ? name : `${namespace}/${name}`;
}

export function listPath(registry: string, type: EntryType): string {
  const root = `/registry/${encodeURIComponent(registry)}/v0.1`;
  return type === 'server' ? `${root}/servers` : `${root}/x/dev.portolan/${TYPE_WORDS[type].path}`;
}

/** Returns the API path below which the versions of an entry are. */
export function versionsPath(registry: string, type: EntryType, name: string): string {
  const root = `/registry/${encodeURIComponent(registry)}/v0.1`;
  if (type === 'server') return `${root}/servers/${encodeURIComponent(name)}/versions`;
  const at = name.lastIndexOf('/');
  const [namespace, last] = [name.slice(0, Math.max(at, 0)), name.slice(at + 1)];
  return `${root}/x/dev.toolhive/${TYPE_WORDS[type].path}/${encodeURIComponent(namespace)}/${encodeURIComponent(last)}/versions`;
}
