import { createRequire } from 'node:module';

export type Cedar = typeof import('@cedar-policy/cedar-wasm/nodejs');

const load = createRequire(import.meta.url);

/**
 * Cedar's WebAssembly module, loaded on first use. Deeply nested text overflows its stack and leaves the
 * module's memory invalid; the engine then loads a new instance.
 */
class CedarEngine {
  #cedar: Cedar | undefined;

  /**
   * Throws a RangeError if the instance broke; the next call gets a new instance without any parsed policies.
   */
  use<Answer>(ask: (cedar: Cedar) => Answer): Answer {
    const cedar = (this.#cedar ??= newCedar());
    try {
      return ask(cedar);
    } catch (error) {
      if (!isTrap(error)) throw error;
      if (this.#cedar === cedar) this.#cedar = undefined;
      throw new RangeError('it is nested too deep, or too large, for Cedar', { cause: error });
    }
  }
}

export const CEDAR = new CedarEngine();

/** Returns whether WebAssembly trapped: its stack overflowed or its memory is corrupt. */
function isTrap(error: unknown): error is Error {
  return error instanceof RangeError || (error instanceof Error && error.name === 'RuntimeError');
}

function newCedar(): Cedar {
  const file = load.resolve('@cedar-policy/cedar-wasm/nodejs');
  // Drop the cached module, because its memory is corrupt.
  delete load.cache[file];
  // SAFETY: the module is the one that the type describes.
  return load(file) as Cedar;
}
