/**
 * Returns the candidate that is most similar to a word, by the number of single-character edits (a
 * transposition counts as one). Undefined when every candidate needs more edits than a third of the word's
 * length, rounded up.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const most = Math.ceil(word.length / 3);
  const [best] = candidates
    .map((candidate) => ({ candidate, edits: countEdits(word, candidate) }))
    .filter(({ edits }) => edits <= most && edits < word.length)
    .toSorted((left, right) => left.edits - right.edits);
  return best?.candidate;
}

/**
 * Returns the number of single-character edits between two words, which counts a transposition as one
 * (optimal string alignment distance).
 */
function countEdits(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= from.length; row += 1) {
    rows[row] = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      rows[row]?.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (same ? 0 : 1),
          swapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(from.length, to.length);
}
