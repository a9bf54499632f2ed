export type ConfigPath = readonly (string | number)[];

/** Line and column count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * Returns the position of a place in the file, or of its nearest existing parent. Undefined for configuration
 * modules and for configurations passed as values.
 */
export type PositionFinder = (place: ConfigPath) => Position | undefined;

/** Formats a place: `sources[0].git.branch`, `claims["a.b"]` for keys that are not plain words, `(root)`. */
export function formatConfigPath(place: ConfigPath): string {
  if (place.length === 0) return '(root)';
  return place
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      if (!/^[A-Za-z_$][\w$-]*$/.test(part)) return `[${JSON.stringify(part)}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join('');
}

const PART = /^(?:\.?([A-Za-z_$][\w$-]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\])/;

/** Parses the output of `formatConfigPath`; empty text is the whole document. Undefined for other text. */
export function parseConfigPath(text: string): ConfigPath | undefined {
  const place: (string | number)[] = [];
  for (let rest = text; rest !== ''; ) {
    const [whole, word, index, quoted] = PART.exec(rest) ?? [];
    const part = quoted === undefined ? (word ?? (index && Number(index))) : parseQuoted(quoted);
    if (whole === undefined || part === undefined) return undefined;
    place.push(part);
    rest = rest.slice(whole.length);
  }
  return text === '' || formatConfigPath(place) === text ? place : undefined;
}

function parseQuoted(text: string): string | undefined {
  try {
    return String(JSON.parse(text));
  } catch {
    return undefined;
  }
}
