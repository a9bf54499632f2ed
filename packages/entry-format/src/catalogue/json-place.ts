/** A place in a JSON document. Line and column count from 1, the column in bytes; the offset from 0. */
export interface JsonPlace {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}

/** `line 3, column 14 (byte 57)`. */
export function printPlace({ line, column, offset }: JsonPlace): string {
  return `line ${line}, column ${column} (byte ${offset})`;
}
