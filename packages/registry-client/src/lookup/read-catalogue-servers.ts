import { isSkippedEntry, readCatalogue, versionOrderKey } from '@portolan/entry-format';
import { isJsonObject, textMember } from '@portolan/run-spec';
import { nameOfServer, type RegistryServer } from './registry-server.ts';

/**
 * Returns servers with their newest version, and a sentence for each skipped entry. Throws like
 * `readCatalogue`.
 */
export async function readCatalogueServers(
  chunks: AsyncIterable<Uint8Array | string>,
  signal?: AbortSignal,
): Promise<{ readonly servers: readonly RegistryServer[]; readonly skipped: readonly string[] }> {
  const servers = new Map<string, RegistryServer>();
  const skipped: string[] = [];
  for await (const item of readCatalogue(chunks, { signal })) {
    if (isSkippedEntry(item)) {
      skipped.push(`${item.skipped}: ${item.because}`);
      continue;
    }
    if (item.type !== 'server') continue;
    const { document } = item;
    if (!isJsonObject(document) || textMember(document, 'name') === undefined) {
      skipped.push(`${item.place}: The entry has no name.`);
      continue;
    }
    // In documents up to the schema of 2025-07-09, the document itself contains the status.
    const status = textMember(document, 'status') ?? 'active';
    const server: RegistryServer = { document, status, statusMessage: undefined };
    const name = nameOfServer(server);
    const before = servers.get(name);
    if (status !== 'deleted' && (before === undefined || isNewer(server, before))) servers.set(name, server);
  }
  return { servers: [...servers.values()], skipped };
}

function isNewer(one: RegistryServer, other: RegistryServer): boolean {
  return Buffer.compare(Buffer.from(orderKey(one)), Buffer.from(orderKey(other))) > 0;
}

/** Returns the sort key of a server's version. Uses no publication time, because a file contains none. */
function orderKey({ document }: RegistryServer): string {
  return versionOrderKey(textMember(document, 'version') ?? '', '1970-01-01T00:00:00Z', document);
}
