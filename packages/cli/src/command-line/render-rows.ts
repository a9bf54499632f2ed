import { stripVTControlCharacters } from 'node:util';

export interface RowsLayout {
  readonly width: number;
  readonly stripAnsi: boolean;
}

/** Maximum share of the width for the left column. */
const MAX_LEFT = 0.38;
const GAP = 2;

/**
 * Formats names and descriptions in two columns. A name wider than its column gets a line of its own. Words
 * are broken only if they are longer than a line.
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

/** Returns the width of a text without its colour sequences. */
function widthOf(text: string): number {
  return stripVTControlCharacters(text).length;
}
