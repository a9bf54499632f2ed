/** Statements that only read or configure, so that only the database itself can delay them. */
const LOOKS_UP = /^\s*(?:select|with|set)\b/i;
/** Matches the lock of schema migrations, which may take long to acquire. */
const WAITS = /\bpg_advisory_/;
const BEGINS = /^\s*(?:begin|start transaction)\b/i;
const ONLY_READS = /\bread only\b/i;
const ENDS = /^\s*(?:commit|rollback)\s*$/i;

/**
 * Drops a connection whose reads get no response in time. TCP detects a lost peer only after minutes, and a
 * peer that accepts data without responding never. Writes have no limit: they may wait for other writes, and
 * their outcome would be unknown.
 */
export class ResultLimit {
  readonly #limitMs: number | undefined;
  readonly #giveUp: (reason: Error) => void;
  #isWriting = false;

  /** Without `limitMs` there is no limit. */
  constructor(limitMs: number | undefined, giveUp: (reason: Error) => void) {
    this.#limitMs = limitMs;
    this.#giveUp = giveUp;
  }

  /** Returns the function to call when the statement ends. */
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

/** Creates the error in the wording of the driver's own timeouts. */
function silence(limitMs: number): Error {
  return new Error(`timeout expired: no response within ${limitMs} ms`);
}

function nothing(): void {}
