import type { VersionRow } from '@portolan/registry';
import { withMeta } from './with-meta.ts';

/** Keeps the published document byte for byte, without parsing, and adds the official metadata. */
export function versionWithMeta(row: VersionRow): string {
  const document = row.type === 'server' ? withMeta(row.document) : row.document;
  const message =
    row.statusMessage === undefined ? '' : `"statusMessage":${JSON.stringify(row.statusMessage)},`;
  // Status, times and marks come from the store and need no escaping.
  return `{"${row.type}":${document},"_meta":{"io.modelcontextprotocol.registry/official":{"status":"${row.status}",${message}"statusChangedAt":"${row.statusChangedAt}","publishedAt":"${row.publishedAt}","updatedAt":"${row.updatedAt}","isLatest":${row.isLatest}},"portolan.dev":${originJson(row.path)}}}`;
}

/** The first registry published the version; this one is last. */
function originJson([origin = '', ...via]: readonly string[]): string {
  const passed = via.length === 0 ? '' : `,"via":["${via.join('","')}"]`;
  return `{"origin":"${origin}"${passed}}`;
}
