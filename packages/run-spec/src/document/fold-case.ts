/**
 * Folds as case-insensitive parsers do. Both ways: the long s equals S only in upper case, and the Kelvin
 * sign equals k only in lower case.
 */
export function foldCase(name: string): string {
  return name.toUpperCase().toLowerCase();
}
