import type { VersionRow } from '@portolan/registry';

/** Returns a skill or plugin as JSON text: the published document with its current status. */
export function extensionJson(row: VersionRow): string {
  const document: unknown = JSON.parse(row.document);
  return JSON.stringify({ ...Object(document), status: row.status.toUpperCase() });
}
