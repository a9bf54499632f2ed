import type { EntryStatus } from '@portolan/plugin-api';
import type { VersionRow } from '@portolan/registry';

const SHOWN_STATUS: Readonly<Record<EntryStatus, string>> = {
  active: 'ACTIVE',
  deprecated: 'DEPRECATED',
  deleted: 'ARCHIVED',
};

/** A skill or plugin as JSON text: the published document with the status it has now. */
export function extensionJson(row: VersionRow): string {
  const document: unknown = JSON.parse(row.document);
  return JSON.stringify({ ...Object(document), status: SHOWN_STATUS[row.status] });
}
