import type { VersionRow } from '@portolan/registry';

/** A skill or plugin as JSON text: the published document with the status it has now. */
export function extensionJson(row: VersionRow): string {
  const document: unknown = JSON.parse(row.document);
  return JSON.stringify({ ...Object(document), status: row.status.toUpperCase() });
}
