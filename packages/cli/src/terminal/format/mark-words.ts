/** Part of a changed text. */
export interface TextPart {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/**
 * Maximum number of cells of the table that aligns two texts. In longer texts, everything from the first to the last
 * difference is marked.
 */
const MAX_CELLS = 4_000_000;
const WORDS = /\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu;

/** Returns the parts of two texts, word by word: what is the same, what was removed, and what was added. */
export function markWords(before: string, after: string): readonly TextPart[] {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  const start = countSame(old, now);
  const end = countSame(old.slice(start).toReversed(), now.slice(start).toReversed());
  const parts: TextPart[] = [{ kind: 'same', text: old.slice(0, start).join('') }];
  parts.push(...align(old.slice(start, old.length - end), now.slice(start, now.length - end)));
  parts.push({ kind: 'same', text: old.slice(old.length - end).join('') });
  return mergeParts(parts);
}

function wordsOf(text: string): readonly string[] {
  return text.match(WORDS) ?? [];
}

function countSame(left: readonly string[], right: readonly string[]): number {
  const end = Math.min(left.length, right.length);
  let count = 0;
  while (count < end && left[count] === right[count]) count += 1;
  return count;
}

/** Aligns two lists of words by their longest common subsequence. */
function align(old: readonly string[], now: readonly string[]): readonly TextPart[] {
  const removed = (words: readonly string[]): TextPart => ({ kind: 'removed', text: words.join('') });
  const added = (words: readonly string[]): TextPart => ({ kind: 'added', text: words.join('') });
  const width = now.length + 1;
  if ((old.length + 1) * width > MAX_CELLS) return [removed(old), added(now)];
  const lengths = new Uint32Array((old.length + 1) * width);
  const lengthAt = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1)
    for (let column = now.length - 1; column >= 0; column -= 1)
      lengths[row * width + column] =
        old[row] === now[column]
          ? lengthAt(row + 1, column + 1) + 1
          : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1));
  const parts: TextPart[] = [];
  let [row, column] = [0, 0];
  while (row < old.length && column < now.length) {
    if (old[row] === now[column]) {
      parts.push({ kind: 'same', text: old[row] ?? '' });
      row += 1;
      column += 1;
    } else if (lengthAt(row + 1, column) >= lengthAt(row, column + 1)) {
      parts.push(removed(old.slice(row, row + 1)));
      row += 1;
    } else {
      parts.push(added(now.slice(column, column + 1)));
      column += 1;
    }
  }
  return [...parts, removed(old.slice(row)), added(now.slice(column))];
}

/** Joins neighbours of one kind, and drops empty parts. */
function mergeParts(parts: readonly TextPart[]): readonly TextPart[] {
  const merged: TextPart[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (part.text === '') continue;
    if (last?.kind === part.kind) merged[merged.length - 1] = { ...part, text: last.text + part.text };
    else merged.push(part);
  }
  return merged;
}
