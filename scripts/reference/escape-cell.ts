/** Escapes text for a cell of a table: bars, angle brackets outside of code, and line breaks. */
export function escapeCell(text: string): string {
  const parts = text
    .replaceAll('|', '\\|')
    .replaceAll(/\s*\n\s*/g, ' ')
    .split('`');
  return parts.map((part, index) => (index % 2 === 1 ? part : part.replaceAll('<', '\\<'))).join('`');
}
