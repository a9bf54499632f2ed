/**
 * Position in a JSON document. Line and column count from 1, the column in bytes; the offset counts from 0.
 */
export interface JsonPosition {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}

/** Formats a position: `line 3, column 14 (byte 57)`. */
export function printPlace({ line, column, offset }: JsonPosition): string {
  return `line ${line}, column ${column} (byte ${offset})`;
}
