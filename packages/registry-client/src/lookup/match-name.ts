import { nameOfServer, type RegistryServer } from './registry-server.ts';

export type NameMatch =
  | { readonly match: 'one'; readonly server: RegistryServer }
  | { readonly match: 'several'; readonly names: readonly string[] }
  | { readonly match: 'none' };

/**
 * Returns the server that a text means: an exact match or, for a text without a slash, the only server with
 * that name after its slash.
 */
export function matchName(text: string, servers: readonly RegistryServer[]): NameMatch {
  const exact = servers.find((server) => nameOfServer(server) === text);
  if (exact !== undefined) return { match: 'one', server: exact };
  if (text.includes('/')) return { match: 'none' };
  const short = servers.filter((server) => nameOfServer(server).endsWith(`/${text}`));
  const [first] = short;
  const names = [...new Set(short.map((server) => nameOfServer(server)))].toSorted();
  if (first === undefined) return { match: 'none' };
  return names.length === 1 ? { match: 'one', server: first } : { match: 'several', names };
}
