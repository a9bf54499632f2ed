import type { VersionRow } from '@portolan/registry';
import { withMeta } from './with-meta.ts';

/**
 * Returns one version as the MCP registry API shows it, as JSON text: the published document, byte for byte
 * as stored, and the official metadata with the registries that it passed through. A server document always
 * has a `_meta`. No document is parsed.
 */
export function versionWithMeta(row: VersionRow): string {
  const document = row.type === 'server' ? withMeta(row.document) : row.document;
  const message =
    row.statusMessage === undefined ? '' : `"statusMessage":${JSON.stringify(row.statusMessage)},`;
  // Status, times and marks come from the store and need no escaping.
  return `{"${row.type}":${document},"_meta":{"io.modelcontextprotocol.registry/official":{"status":"${row.status}",${message}"statusChangedAt":"${row.statusChangedAt}","publishedAt":"${row.publishedAt}","updatedAt":"${row.updatedAt}","isLatest":${row.isLatest}},"portolan.dev":${originJson(row.path)}}}`;
}

/** Returns the registry that published a version and those that passed it on, this one last. */
function originJson([origin = '', ...via]: readonly string[]): string {
  const passed = via.length === 0 ? '' : `,"via":["${via.join('","')}"]`;
  return `{"origin":"${origin}"${passed}}`;
}
