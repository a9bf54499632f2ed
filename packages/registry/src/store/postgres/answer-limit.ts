/** What nothing but the database itself keeps from being answered, where no write is under way. */
const LOOKS_UP = /^\s*(?:select|with|set)\b/i;
/** A turn that others may have for long: that of changing the schema. */
const WAITS = /\bpg_advisory_/;
const BEGINS = /^\s*(?:begin|start transaction)\b/i;
const ONLY_READS = /\bread only\b/i;
const ENDS = /^\s*(?:commit|rollback)\s*$/i;

/**
 * How long one connection may leave statements unanswered. TCP notices an end that is gone after minutes, and one that
 * takes what it is sent and says nothing it never notices. So a connection is given up when it has not answered in time
 * what only reads, or begins a transaction: others would wait for it, and the pool would have one less. What writes may
 * take as long as it does, since it may wait for other writes, and what came of it would not be known.
 */
export class AnswerLimit {
  readonly #limitMs: number | undefined;
  readonly #giveUp: (reason: Error) => void;
  #isWriting = false;

  /** Without a time everything is waited for. */
  constructor(limitMs: number | undefined, giveUp: (reason: Error) => void) {
    this.#limitMs = limitMs;
    this.#giveUp = giveUp;
  }

  /** Before a statement is sent; what it returns is called once it has been answered, or has failed. */
  begin(text: string): () => void {
    const limitMs = this.#limitMs;
    if (limitMs === undefined || !this.#isLimited(text)) return nothing;
    const timer = setTimeout(() => this.#giveUp(silence(limitMs)), limitMs).unref();
    return () => clearTimeout(timer);
  }

  #isLimited(text: string): boolean {
    if (BEGINS.test(text)) {
      this.#isWriting = !ONLY_READS.test(text);
      return true;
    }
    if (ENDS.test(text)) {
      const wasWriting = this.#isWriting;
      this.#isWriting = false;
      return !wasWriting;
    }
    return !this.#isWriting && LOOKS_UP.test(text) && !WAITS.test(text);
  }
}

/** As the driver words its own limits. */
function silence(limitMs: number): Error {
  return new Error(`timeout expired: no answer within ${limitMs} ms`);
}

function nothing(): void {}
