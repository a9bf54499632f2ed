import type { VersionRow } from '@portolan/registry';
import { withMeta } from './with-meta.ts';

/**
 * One server as the MCP registry API shows it: the published document, byte by
 * byte as it was stored, with a `_meta` in any case, and the official block beside
 * it. JSON text, so that no document is parsed on the way out.
 */
export function serverJson(row: VersionRow): string {
  const message =
    row.statusMessage === undefined ? '' : `"statusMessage":${JSON.stringify(row.statusMessage)},`;
  // Status and times come from the store and need no escapes.
  return `{"server":${withMeta(row.document)},"_meta":{"io.modelcontextprotocol.registry/official":{"status":"${row.status}",${message}"statusChangedAt":"${row.statusChangedAt}","publishedAt":"${row.publishedAt}","updatedAt":"${row.updatedAt}","isLatest":${row.isLatest}}}}`;
}
