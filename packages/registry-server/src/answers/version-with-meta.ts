import type { VersionRow } from '@portolan/registry';
import { withMeta } from './with-meta.ts';

/**
 * One version as the MCP registry API shows it: the published document, byte by
 * byte as it was stored, of a server with a `_meta` in any case, and beside it the
 * official block and the registries that it came through. JSON text, so that no
 * document is parsed on the way out.
 */
export function versionWithMeta(row: VersionRow): string {
  const document = row.type === 'server' ? withMeta(row.document) : row.document;
  const message =
    row.statusMessage === undefined ? '' : `"statusMessage":${JSON.stringify(row.statusMessage)},`;
  // Status, times and marks come from the store and need no escapes.
  return `{"${row.type}":${document},"_meta":{"io.modelcontextprotocol.registry/official":{"status":"${row.status}",${message}"statusChangedAt":"${row.statusChangedAt}","publishedAt":"${row.publishedAt}","updatedAt":"${row.updatedAt}","isLatest":${row.isLatest}},"portolan.dev":${originJson(row.path)}}}`;
}

/** Where a version was made, and the registries that passed it on, this one last. */
function originJson([origin = '', ...via]: readonly string[]): string {
  const passed = via.length === 0 ? '' : `,"via":["${via.join('","')}"]`;
  return `{"origin":"${origin}"${passed}}`;
}
