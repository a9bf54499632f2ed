import { writeSync } from 'node:fs';

/** Form of the line that reports lost lines. */
export type LogForm = 'json' | 'text';

const STANDARD_ERROR = 2;
const NEWLINE = 0x0a;
/** Maximum wait for a pipe with a slow reader before its lines count as lost, in milliseconds. */
const MAX_WAIT_MS = 100;
const WAIT_STEP_MS = 5;

/**
 * Writes log lines to a descriptor. It never throws: lines that cannot be written because of a full disk, a
 * size limit or a closed pipe are counted. The first successful write afterwards begins with a line that
 * states how many were lost, and why.
 */
export class LogOutput {
  readonly #descriptor: number;
  readonly #write: typeof writeSync;
  #lostLines = 0;
  #unreported = 0;
  #reason = '';
  /**
   * Whether the last written byte is in the middle of a line, so that the next line must begin with a line
   * break.
   */
  #isTorn = false;

  constructor(descriptor: number, write: typeof writeSync = writeSync) {
    this.#descriptor = descriptor;
    this.#write = write;
  }

  /** Number of lines lost since the process started. */
  get lostLines(): number {
    return this.#lostLines;
  }

  /** Writes whole lines synchronously. */
  write(text: string, form: LogForm = 'json'): void {
    const report = this.#unreported === 0 ? '' : this.#report(form);
    const before = Buffer.from(`${this.#isTorn ? '\n' : ''}${report}`);
    const bytes = Buffer.concat([before, Buffer.from(text)]);
    const written = this.#writeAll(bytes);
    if (written > 0) this.#isTorn = bytes[written - 1] !== NEWLINE;
    if (written >= before.length) this.#unreported = 0;
    if (written === bytes.length) return;
    const lost = countLines(bytes.subarray(Math.max(written, before.length)));
    this.#lostLines += lost;
    this.#unreported += lost;
  }

  #writeAll(bytes: Buffer): number {
    let written = 0;
    let waitedMs = 0;
    while (written < bytes.length) {
      try {
        written += this.#write(this.#descriptor, bytes, written);
      } catch (error) {
        if (isBusy(error) && waitedMs < MAX_WAIT_MS) {
          waitedMs += WAIT_STEP_MS;
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_STEP_MS);
          continue;
        }
        this.#reason = error instanceof Error ? error.message : String(error);
        return written;
      }
    }
    return written;
  }

  #report(form: LogForm): string {
    const lost = this.#unreported;
    const reason = this.#reason;
    if (form === 'text') return `warning: ${lost} log lines were lost (${reason})\n`;
    const time = new Date().toISOString();
    return `${JSON.stringify({ level: 'warn', time, lost, reason, msg: 'log lines were lost' })}\n`;
  }
}

export const standardError = new LogOutput(STANDARD_ERROR);

/** Returns the number of lines in the bytes, including a last line without a line end. */
function countLines(bytes: Buffer): number {
  let count = bytes.at(-1) === NEWLINE ? 0 : 1;
  for (const byte of bytes) if (byte === NEWLINE) count += 1;
  return count;
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}
