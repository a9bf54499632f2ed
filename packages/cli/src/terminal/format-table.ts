/** Rows in columns, two spaces between them, under a head in capitals. No line break at the end. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head.map((title) => title.toUpperCase()), ...rows];
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
