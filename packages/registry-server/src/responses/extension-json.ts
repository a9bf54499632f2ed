import type { VersionRow } from '@portolan/registry';

export function extensionJson(row: VersionRow): string {
  const document: unknown = JSON.parse(row.document);
  return JSON.stringify({ ...Object(document), status: row.status.toUpperCase() });
}
