import type { VersionRow } from '@portolan/registry';
import { withMeta } from './with-meta.ts';

/**
 * Adds the official metadata to a published document. Keeps the document byte for byte and does not parse it.
 */
export function versionWithMeta(row: VersionRow): string {
  const document = row.type === 'server' ? withMeta(row.document) : row.document;
  const message =
    row.statusMessage === undefined ? '' : `"statusMessage":${JSON.stringify(row.statusMessage)},`;
  // Status, times and marks come from the store and need no escaping.
  return `{"${row.type}":${document},"_meta":{"io.modelcontextprotocol.registry/official":{"status":"${row.status}",${message}"statusChangedAt":"${row.statusChangedAt}","publishedAt":"${row.publishedAt}","updatedAt":"${row.updatedAt}","isLatest":${row.isLatest}},"portolan.dev":${originJson(row.path)}}}`;
}

/**
 * Returns the origin of a version as JSON. The first registry in the path published the version; the last one
 * is this registry.
 */
function originJson([origin = '', ...via]: readonly string[]): string {
  const passed = via.length === 0 ? '' : `,"via":["${via.join('","')}"]`;
  return `{"origin":"${origin}"${passed}}`;
}
