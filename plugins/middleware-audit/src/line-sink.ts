import type { Appended } from './descriptor.ts';

/** Where lines are written. Functions are never called concurrently. */
export interface LineSink {
  readonly name: string;
  /** Never rejects: returns how much was written, and the error. */
  append(lines: Buffer): Promise<Appended>;
  /** Writes lines synchronously, at the end of the process, when nothing can be awaited. May throw. */
  appendAtOnce(lines: Buffer): void;
  /** Reopens the file by its name. On failure, throws and keeps the open file. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}
