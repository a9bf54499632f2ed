import { fstat } from 'node:fs';
import { promisify } from 'node:util';
import type { Logger } from '@portolan/plugin-api';
import { type Appended, closeDescriptor, type DescriptorAppender } from './descriptor.ts';
import type { LineSink } from './line-sink.ts';
import { openAuditFile } from './open-audit-file.ts';
import { nameOf, rotateFiles } from './rotate-files.ts';

const statOf = promisify(fstat);

export interface FileSinkOptions {
  /** In bytes; 0: the file is never rotated. */
  readonly maxFileSize: number;
  readonly maxFiles: number;
  readonly logger: Logger;
}

/** Opens the audit file. Throws ERR_AUDIT_FOLDER and ERR_AUDIT_FILE. */
export async function openFileSink(file: string, options: FileSinkOptions): Promise<FileSink> {
  return new FileSink(file, await openAuditFile(file, options.logger), options);
}

/** A file that lines are appended to, opened again by name, and renamed when it is full. */
export class FileSink implements LineSink {
  readonly name: string;
  readonly #options: FileSinkOptions;
  #appender: DescriptorAppender;
  #rotateAt: number;

  constructor(file: string, appender: DescriptorAppender, options: FileSinkOptions) {
    this.name = file;
    this.#appender = appender;
    this.#options = options;
    this.#rotateAt = options.maxFileSize;
  }

  async append(lines: Buffer): Promise<Appended> {
    await this.#rotateBefore(lines.length);
    return await this.#appender.append(lines);
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
   * Asks for the size each time, since others may write to the file, or cut it. When
   * it cannot be renamed, it goes on growing, and that is tried again after as many bytes.
   */
  async #rotateBefore(incoming: number): Promise<void> {
    const { maxFileSize, logger } = this.#options;
    if (maxFileSize === 0) return;
    try {
      const size = await this.#appender.measure();
      if (size > 0 && size + incoming > this.#rotateAt) await this.#rotate();
    } catch (error) {
      this.#rotateAt = this.#appender.size + maxFileSize;
      logger.error(
        { file: this.name, error },
        'the audit log cannot be rotated; it goes on in the same file',
      );
    }
  }

  /** When the name stands for another file, somebody else has renamed ours. */
  async #rotate(): Promise<void> {
    const named = await nameOf(this.name);
    const open = await statOf(this.#appender.fd, { bigint: true });
    if (named?.ino === open.ino && named.dev === open.dev) {
      await rotateFiles(this.name, this.#options.maxFiles);
    }
    await this.reopen();
  }
}
