import { stripVTControlCharacters } from 'node:util';

export interface RowsLayout {
  /** Columns there are. */
  readonly width: number;
  readonly stripAnsi: boolean;
}

/** Most of the width that what stands at the left may take. */
const MAX_LEFT = 0.38;
const GAP = 2;

/**
 * Names and what they mean, in two columns. A name that is wider than its column
 * stands on a line of its own, so that one long name takes no room from all others.
 * No word is broken that fits into a line.
 */
export function renderRows(
  rows: readonly (readonly [name: string, text: string | undefined])[],
  { width, stripAnsi }: RowsLayout,
): string {
  const widest = Math.max(0, ...rows.map(([name]) => widthOf(name)));
  const column = Math.min(widest, Math.floor(width * MAX_LEFT)) + GAP;
  const lines = rows.flatMap(([name, text = '']) => {
    const texts = text
      .trim()
      .split('\n')
      .flatMap((paragraph) => wrap(paragraph, width - column))
      .map((line) => ' '.repeat(column) + line);
    const fits = widthOf(name) + GAP <= column;
    const [first = '', ...rest] = texts;
    if (!fits) return [name, ...texts];
    return [(name + ' '.repeat(column - widthOf(name)) + first.slice(column)).trimEnd(), ...rest];
  });
  const rendered = lines.filter((line) => line.trim() !== '').join('\n');
  return stripAnsi ? stripVTControlCharacters(rendered) : rendered;
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined || widthOf(last) + 1 + widthOf(word) > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** Without the sequences that make colours. */
function widthOf(text: string): number {
  return stripVTControlCharacters(text).length;
}
