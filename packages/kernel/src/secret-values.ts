const HIDDEN = '[secret]';

/** Shorter values are too common in ordinary text to be looked for. */
const SHORTEST = 5;

/**
 * The values of secret fields, so that they can be taken out of text that others
 * wrote: messages of plugins, log lines. Values below five characters are not
 * looked for.
 */
export class SecretValues {
  /** The longest first, so that no rest of one stays behind a shorter one inside it. */
  #values: readonly string[] = [];

  /** Remembers a value, and the password in it when it is an address. */
  add(value: string): void {
    const password = URL.canParse(value) ? new URL(value).password : '';
    const spellings = [value, password, decodedOrSame(password)].flatMap(spellingsOf);
    const known = new Set([...this.#values, ...spellings.filter((text) => text.length >= SHORTEST)]);
    this.#values = [...known].toSorted((left, right) => right.length - left.length);
  }

  /** The text with every known value replaced by `[secret]`. */
  mask(text: string): string {
    let masked = text;
    for (const value of this.#values) {
      if (masked.includes(value)) masked = masked.replaceAll(value, HIDDEN);
    }
    return masked;
  }

  /** What was thrown, without known values in the texts that are printed of it and its causes: a copy of an error. */
  maskThrown(thrown: unknown, depth = 0): unknown {
    if (typeof thrown === 'string') return this.mask(thrown);
    if (!(thrown instanceof Error)) return thrown;
    const cause = depth < DEEPEST_CAUSE ? this.maskThrown(thrown.cause, depth + 1) : undefined;
    const copy = new Error(this.mask(thrown.message), cause === undefined ? undefined : { cause });
    return Object.assign(copy, {
      name: thrown.name,
      stack: this.mask(thrown.stack ?? thrown.name),
      ...('code' in thrown ? { code: thrown.code } : {}),
      ...('hint' in thrown
        ? { hint: typeof thrown.hint === 'string' ? this.mask(thrown.hint) : undefined }
        : {}),
    });
  }
}

/** Causes may go round in a circle. */
const DEEPEST_CAUSE = 8;

/** As it is, as it stands inside a JSON text (which is what a log line is), and inside an address. */
function spellingsOf(value: string): readonly string[] {
  return [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed())];
}

function decodedOrSame(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone percent sign: it was not encoded
  }
}
