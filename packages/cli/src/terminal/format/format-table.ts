import { printable } from '../printable.ts';

/**
 * Returns rows in columns, two spaces between them, under a head in capitals,
 * without a line break at the end. Every cell is one line: a line break in a
 * name of an entry or a server would otherwise look like rows of its own.
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
