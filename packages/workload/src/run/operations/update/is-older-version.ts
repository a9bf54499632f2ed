/** Compares versions by their leading numbers; false when they cannot be compared. */
export function isOlderVersion(version: string, than: string): boolean {
  const [numbers, others] = [numbersOf(version), numbersOf(than)];
  if (numbers === undefined || others === undefined) return false;
  for (let at = 0; at < Math.max(numbers.length, others.length); at += 1) {
    const difference = (numbers[at] ?? 0) - (others[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

function numbersOf(version: string): readonly number[] | undefined {
  const [, digits] = /^v?(\d+(?:\.\d+)*)/.exec(version) ?? [];
  return digits?.split('.').map(Number);
}
