import unhomoglyph from 'unhomoglyph';
import { INVISIBLE } from '@portolan/entry-format';

/** Maximum length of a name to compare. A longer name is not one that a user reads. */
const MAX_COMPARED_LENGTH = 128;

/** Names that look like other names: finds the approved name that a new name imitates. */
export class LookAlikes {
  readonly #byShape = new Map<string, string>();

  constructor(names: Iterable<string>) {
    for (const name of names) for (const shape of shapesOf(name)) this.#byShape.set(shape, name);
  }

  /** Returns an approved name that differs only by case, confusable or invisible characters. */
  find(name: string): string | undefined {
    return shapesOf(name)
      .map((shape) => this.#byShape.get(shape))
      .find((similar) => similar !== undefined && similar !== name);
  }
}

/**
 * Returns the shapes of a name by the confusables of Unicode (UTS 39). With folded case first, `LIST` and `list`
 * are alike; with confusables first, `1ist`, `Iist` and `list` are.
 */
function shapesOf(name: string): readonly string[] {
  if (name.length > MAX_COMPARED_LENGTH) return [];
  const visible = name.normalize('NFKC').replaceAll(INVISIBLE, '').trim();
  const folded = foldCase(unhomoglyph(foldCase(visible)));
  return [folded, foldCase(unhomoglyph(visible))];
}

/** Folds case in both directions: the long s equals `S` only in upper case, the Kelvin sign `k` only in lower. */
function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase();
}
