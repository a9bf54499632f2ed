import { close, fstat, open, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';

export const openDescriptor: (path: string, flags: number, mode: number) => Promise<number> = promisify(open);
export const closeDescriptor: (fd: number) => Promise<void> = promisify(close);

const stat = promisify(fstat);
const writeSome = promisify(write);

export interface Appended {
  /** Number of bytes of completely written lines. */
  readonly bytes: number;
  /** Error that prevented the remaining lines from being written. */
  readonly error?: unknown;
}

/** Written bytes of a partial line, and the file size at that point. */
interface Tear {
  readonly bytes: number;
  readonly size: number;
}

const LINE_END = 0x0a;
const lineEnd = Buffer.of(LINE_END);

/**
 * Each call is one system call, so other processes cannot write in between. After a partial write, as on a
 * full disk, the next write continues there. If other processes have written since, the fragment gets its own
 * line and the whole line is written again.
 */
export class DescriptorAppender {
  readonly fd: number;
  #size: number;
  #tear: Tear | undefined;

  /** `torn` says that the file does not end with a line end. */
  constructor(fd: number, size: number, torn = false) {
    this.fd = fd;
    this.#size = size;
    // This process did not write the last line, so it never continues that line.
    this.#tear = torn ? { bytes: 0, size } : undefined;
  }

  /** Size of the file in bytes when it was last known. */
  get size(): number {
    return this.#size;
  }

  async measure(): Promise<number> {
    this.#size = (await stat(this.fd)).size;
    return this.#size;
  }

  /**
   * Appends lines and returns how many bytes of whole lines were written. Never rejects. After an error, the
   * next call must start with the first incomplete line.
   */
  async append(lines: Buffer): Promise<Appended> {
    let reached = 0;
    try {
      const { bytes, start } = await this.#resume(lines);
      reached = start;
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await writeSome(this.fd, bytes, done, bytes.length - done, null);
        if (bytesWritten === 0) throw new Error('the operating system wrote no bytes');
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

  /**
   * Appends lines synchronously, at the end of the process, when nothing can be awaited. Throws system
   * errors.
   */
  appendAtOnce(lines: Buffer): void {
    writeSync(this.fd, this.#tear === undefined ? lines : Buffer.concat([lineEnd, lines]));
  }

  /** Returns the position in `lines` from which to continue a partial line; -1 to end that line first. */
  async #resume(lines: Buffer): Promise<{ readonly bytes: Buffer; readonly start: number }> {
    if (this.#tear === undefined) return { bytes: lines, start: 0 };
    const { bytes, size } = this.#tear;
    const grown = (await stat(this.fd)).size !== size;
    if (bytes > 0 && !grown) return { bytes: lines.subarray(bytes), start: bytes };
    // The file has grown: another process is writing the partial line.
    if (bytes === 0 && grown) return { bytes: lines, start: 0 };
    return { bytes: Buffer.concat([lineEnd, lines]), start: -1 };
  }

  async #sizeNow(): Promise<number> {
    try {
      return (await stat(this.fd)).size;
    } catch {
      return -1; // the partial line is then written again in full
    }
  }
}
