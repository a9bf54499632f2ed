/**
 * A name without its capitals, as parsers compare names that do so. Both ways: the
 * long s is an S in capitals alone, the sign of Kelvin a k in small letters alone.
 */
export function foldCase(name: string): string {
  return name.toUpperCase().toLowerCase();
}
