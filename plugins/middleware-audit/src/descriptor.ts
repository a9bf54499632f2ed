import { close, fstat, open, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';

export const openDescriptor: (path: string, flags: number, mode: number) => Promise<number> = promisify(open);
export const closeDescriptor: (fd: number) => Promise<void> = promisify(close);

const stat = promisify(fstat);
const writeSome = promisify(write);

/** What a write of lines came to. */
export interface Appended {
  /** Bytes of the lines that now stand whole. */
  readonly bytes: number;
  /** Why not all of them do. */
  readonly error?: unknown;
}

/**
 * A line of which only the beginning stands: so many bytes of it are written, and
 * the file had this size then.
 */
interface Tear {
  readonly bytes: number;
  readonly size: number;
}

const LINE_END = 0x0a;
const lineEnd = Buffer.of(LINE_END);

/**
 * Appends whole lines to an open file. One call is one write of the system, which
 * no other process that appends to the file can come in between. When a write
 * stops in the middle of a line, as on a full disk, the next one continues there;
 * if others have written since, the piece gets a line of its own and the whole
 * line is written again.
 */
export class DescriptorAppender {
  readonly fd: number;
  #size: number;
  #tear: Tear | undefined;

  /** `torn` says that the file does not end with the end of a line. */
  constructor(fd: number, size: number, torn = false) {
    this.fd = fd;
    this.#size = size;
    // None of what is there belongs to a line of ours: never continued.
    this.#tear = torn ? { bytes: 0, size } : undefined;
  }

  /** As it was when it was last looked at. */
  get size(): number {
    return this.#size;
  }

  /** In bytes, now. */
  async measure(): Promise<number> {
    this.#size = (await stat(this.fd)).size;
    return this.#size;
  }

  /** Never rejects. After an error, the next call has to begin with the first line that is not whole. */
  async append(lines: Buffer): Promise<Appended> {
    let reached = 0;
    try {
      const { bytes, start } = await this.#resume(lines);
      reached = start;
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await writeSome(this.fd, bytes, done, bytes.length - done, null);
        if (bytesWritten === 0) throw new Error('the system wrote nothing');
        done += bytesWritten;
        reached += bytesWritten;
        this.#tear = undefined;
      }
      return { bytes: lines.length };
    } catch (error) {
      const whole = reached > 0 ? lines.lastIndexOf(LINE_END, reached - 1) + 1 : 0;
      if (reached > whole) this.#tear = { bytes: reached - whole, size: await this.#sizeNow() };
      return { bytes: whole, error };
    }
  }

  /** For the end of the process, when nobody can wait any more. Throws what the system says. */
  appendAtOnce(lines: Buffer): void {
    writeSync(this.fd, this.#tear === undefined ? lines : Buffer.concat([lineEnd, lines]));
  }

  /** What to write, and the place in `lines` at which that begins; -1 for the end of a line before them. */
  async #resume(lines: Buffer): Promise<{ readonly bytes: Buffer; readonly start: number }> {
    if (this.#tear === undefined) return { bytes: lines, start: 0 };
    const { bytes, size } = this.#tear;
    const grown = (await stat(this.fd)).size !== size;
    if (bytes > 0 && !grown) return { bytes: lines.subarray(bytes), start: bytes };
    // What was found torn, and has grown since, somebody else is writing.
    if (bytes === 0 && grown) return { bytes: lines, start: 0 };
    return { bytes: Buffer.concat([lineEnd, lines]), start: -1 };
  }

  async #sizeNow(): Promise<number> {
    try {
      return (await stat(this.fd)).size;
    } catch {
      return -1; // then the line is written again from its beginning
    }
  }
}
