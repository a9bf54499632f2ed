/**
 * Folds the case of a name as case-insensitive JSON parsers do. It applies both upper and lower case, because
 * the long s equals S only in upper case, and the Kelvin sign equals k only in lower case.
 */
export function foldCase(name: string): string {
  return name.toUpperCase().toLowerCase();
}
