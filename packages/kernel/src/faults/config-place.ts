/** Where something stands in a configuration: keys, and indexes of lists. */
export type Place = readonly (string | number)[];

/** Line and column in the configuration file, counted from one. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The position of a place, or of the nearest thing around it that is there; undefined for code and values. */
export type PositionFinder = (place: Place) => Position | undefined;

/**
 * A place as messages show it: `sources[0].git.branch`. A key that is no plain
 * word stands in quotes: `claims["a.b"]`. The whole document is `(root)`.
 */
export function formatPlace(place: Place): string {
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

/** The place that `formatPlace` prints so, the empty text being the whole; undefined when it prints none so. */
export function parsePlace(text: string): Place | undefined {
  const place: (string | number)[] = [];
  for (let rest = text; rest !== ''; ) {
    const [whole, word, index, quoted] = PART.exec(rest) ?? [];
    const part = quoted === undefined ? (word ?? (index && Number(index))) : parseQuoted(quoted);
    if (whole === undefined || part === undefined) return undefined;
    place.push(part);
    rest = rest.slice(whole.length);
  }
  return text === '' || formatPlace(place) === text ? place : undefined;
}

function parseQuoted(text: string): string | undefined {
  try {
    return String(JSON.parse(text));
  } catch {
    return undefined; // an escape that JSON does not know
  }
}
