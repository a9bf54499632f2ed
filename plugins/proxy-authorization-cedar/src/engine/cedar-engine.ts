import { createRequire } from 'node:module';

export type Cedar = typeof import('@cedar-policy/cedar-wasm/nodejs');

const load = createRequire(import.meta.url);

/**
 * Cedar, loaded when it is first asked: whoever has a service decide needs none.
 * Text that is nested too deep overflows its stack, and then nothing that it says
 * counts any more, about whatever: from there on another one is asked, with memory of
 * its own.
 */
class CedarEngine {
  #cedar: Cedar | undefined;

  /** Throws what Cedar throws; of a broken one, a RangeError. What was kept in another one than `ask` gets is gone. */
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

/** A stack that is full, or memory that is not to be relied on: what WebAssembly ends with. */
function isTrap(error: unknown): error is Error {
  return error instanceof RangeError || (error instanceof Error && error.name === 'RuntimeError');
}

function newCedar(): Cedar {
  const file = load.resolve('@cedar-policy/cedar-wasm/nodejs');
  // A module that was loaded before has the memory that is broken.
  delete load.cache[file];
  // SAFETY: that module.
  return load(file) as Cedar;
}
