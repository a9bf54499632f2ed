import { compareEntries } from '@portolan/lock';
import type { VersionRow } from '@portolan/registry';

/**
 * Formats the differences between the definitions that two versions of a server publish. `before` is undefined
 * for the first version.
 */
export function changesJson(before: VersionRow | undefined, after: VersionRow): string {
  const compared = compareEntries(readDocument(before), readDocument(after));
  const { class: cls, differences, more, faults } = compared;
  const body = {
    from: before === undefined ? null : describeVersion(before, compared.before),
    to: describeVersion(after, compared.after),
    compared: compared.compared,
    class: cls,
    differences,
    more,
    faults,
  };
  return `${JSON.stringify(body)}\n`;
}

function describeVersion({ version }: VersionRow, definitions: string | undefined): object {
  return { version, definitions: definitions ?? 'none' };
}

function readDocument(row: VersionRow | undefined): unknown {
  return row === undefined ? undefined : JSON.parse(row.document);
}
