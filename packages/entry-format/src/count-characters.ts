export function countCharacters(length: number): string {
  return length === 1 ? '1 character' : `${length} characters`;
}
