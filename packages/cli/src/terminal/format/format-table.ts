import { printable } from '../printable.ts';

/**
 * Formats rows in columns, two spaces apart, under a head in capitals; no final line break. Replaces line
 * breaks in cells, so that the name of an entry or a server cannot imitate other rows.
 */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head.map((title) => title.toUpperCase()), ...rows.map((row) => row.map(printable))];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
