const EXPRESSION = /\{[^{}]*\}/g;

/** Maximum length of a URI to compare with templates, in characters. A longer one matches every template. */
const MAX_URI = 8192;

/**
 * Pattern of a URI template (RFC 6570) that matches at least every URI that the template expands to: an expression
 * matches any text. Matching takes linear time, because a server chooses the template.
 */
export class TemplatePattern {
  readonly #first: string;
  readonly #middle: readonly string[];
  readonly #last: string | undefined;
  /** Number of slashes of every expansion; undefined if an expression may contain slashes. */
  readonly #slashes: number | undefined;

  constructor(template: string) {
    const mayHaveSlashes = /\{[^a-z0-9_%.;?&][^{}]*\}/i.test(template);
    this.#slashes = mayHaveSlashes ? undefined : countSlashes(fold(template.replaceAll(EXPRESSION, '')));
    const [first = '', ...rest] = template.split(EXPRESSION).map(fold);
    this.#first = first;
    this.#last = rest.pop();
    this.#middle = rest;
  }

  /**
   * Returns whether a URI is an expansion of the template. Stricter than `matches`: the approved `file:///{name}` does
   * not cover `file:///a/b`, which only a held template such as `file:///{+path}` expands to.
   */
  matchesNarrowly(uri: string): boolean {
    const hasItsSlashes = this.#slashes === undefined || countSlashes(fold(uri)) === this.#slashes;
    return uri.length <= MAX_URI && hasItsSlashes && this.matches(uri);
  }

  /** Returns whether a URI may be an expansion of the template, in any spelling of the same URI. */
  matches(uri: string): boolean {
    if (uri.length > MAX_URI) return true;
    const text = fold(uri);
    if (this.#last === undefined) return text === this.#first;
    if (!text.startsWith(this.#first)) return false;
    let at = this.#first.length;
    for (const literal of this.#middle) {
      const found = text.indexOf(literal, at);
      if (found < 0) return false;
      at = found + literal.length;
    }
    return text.length >= at + this.#last.length && text.endsWith(this.#last);
  }
}

function countSlashes(text: string): number {
  return text.split('/').length;
}

/** Returns a form that is equal for all spellings of a URI that a server might treat alike. */
function fold(uri: string): string {
  let text = uri;
  try {
    text = decodeURIComponent(uri);
  } catch {
    // A text with a stray "%" is compared as it is.
  }
  return text.normalize('NFKC').trim().toUpperCase().toLowerCase();
}
