import { fstat } from 'node:fs';
import { promisify } from 'node:util';
import type { Logger } from '@portolan/plugin-api';
import { type Appended, closeDescriptor, type DescriptorAppender } from './descriptor.ts';
import type { LineSink } from './line-sink.ts';
import { openAuditFile } from './open-audit-file.ts';
import { identifyFile, rotateFile } from './rotate-file.ts';

const statOf = promisify(fstat);

export interface FileSinkOptions {
  /** Maximum size in bytes before rotation; 0 disables rotation. */
  readonly maxFileSize: number;
  readonly maxFiles: number;
  /**
   * Whether to check, at most once a second, if the file name leads to another file, so that log rotation
   * needs no signal.
   */
  readonly followsName?: boolean;
  readonly logger: Logger;
}

const LOOK_MS = 1000;

/** Opens the file. Throws ERR_AUDIT_FILE. */
export async function openFileSink(file: string, options: FileSinkOptions): Promise<FileSink> {
  return new FileSink(file, await openAuditFile(file, options.logger), options);
}

/**
 * Writes lines to a file. Reopens it by name after a rotation by another program, and renames it at its
 * maximum size.
 */
export class FileSink implements LineSink {
  readonly name: string;
  readonly #options: FileSinkOptions;
  #appender: DescriptorAppender;
  #rotateAt: number;
  #lookedMs = performance.now();

  constructor(file: string, appender: DescriptorAppender, options: FileSinkOptions) {
    this.name = file;
    this.#appender = appender;
    this.#options = options;
    this.#rotateAt = options.maxFileSize;
  }

  /** A line above the maximum size gets a file of its own. */
  async append(lines: Buffer): Promise<Appended> {
    if (this.#options.followsName === true) await this.#follow();
    let done = 0;
    while (done < lines.length) {
      const next = await this.#takeFitting(lines.subarray(done)); // the next write may open another file
      const { bytes, error } = await this.#appender.append(next);
      done += bytes;
      if (error !== undefined) return { bytes: done, error };
    }
    return { bytes: done };
  }

  appendAtOnce(lines: Buffer): void {
    this.#appender.appendAtOnce(lines);
  }

  async reopen(): Promise<void> {
    const old = this.#appender;
    this.#appender = await openAuditFile(this.name, this.#options.logger);
    this.#rotateAt = this.#options.maxFileSize;
    await closeDescriptor(old.fd);
  }

  async close(): Promise<void> {
    await closeDescriptor(this.#appender.fd);
  }

  /**
   * Reads the size each time, since other processes may write or truncate the file. A file that cannot be
   * renamed keeps growing, and the rename is retried after as many bytes.
   */
  async #takeFitting(lines: Buffer): Promise<Buffer> {
    const { maxFileSize, logger } = this.#options;
    if (maxFileSize === 0) return lines;
    try {
      const size = await this.#appender.measure();
      const fitting = linesWithin(lines, this.#rotateAt - size);
      if (fitting.length > 0) return fitting;
      if (size > 0) await this.#rotate();
    } catch (error) {
      this.#rotateAt = this.#appender.size + maxFileSize;
      logger.error(
        { file: this.name, error },
        'the audit log cannot be rotated; it continues in the same file',
      );
    }
    return firstLines(lines, this.#rotateAt - this.#appender.size);
  }

  /** Renames the full file, unless another process has renamed it already. */
  async #rotate(): Promise<void> {
    if (await this.#isNamed()) await rotateFile(this.name, this.#options.maxFiles);
    await this.reopen();
  }

  async #isNamed(): Promise<boolean> {
    const named = await identifyFile(this.name);
    const open = await statOf(this.#appender.fd, { bigint: true });
    return named?.ino === open.ino && named.dev === open.dev;
  }

  /** Reopens the file when its name leads to another one. Continues with the open file when that fails. */
  async #follow(): Promise<void> {
    const nowMs = performance.now();
    if (nowMs - this.#lookedMs < LOOK_MS) return;
    this.#lookedMs = nowMs;
    try {
      if (!(await this.#isNamed())) await this.reopen();
    } catch (error) {
      this.#options.logger.error(
        { file: this.name, error },
        'the audit log was renamed and cannot be opened again',
      );
    }
  }
}

const LINE_END = 0x0a;

/** Returns the whole lines that fit; empty when not even one does. */
function linesWithin(lines: Buffer, most: number): Buffer {
  if (lines.length <= most) return lines;
  return lines.subarray(0, most > 0 ? lines.lastIndexOf(LINE_END, most - 1) + 1 : 0);
}

/** Returns the lines that fit, but at least one. */
function firstLines(lines: Buffer, most: number): Buffer {
  const fitting = linesWithin(lines, most);
  return fitting.length > 0 ? fitting : lines.subarray(0, lines.indexOf(LINE_END) + 1 || lines.length);
}
