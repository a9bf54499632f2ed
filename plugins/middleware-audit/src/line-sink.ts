import type { Appended } from './descriptor.ts';

/** Output for lines. Its functions are never called concurrently. */
export interface LineSink {
  readonly name: string;
  /** Appends lines. Never rejects: returns how much was written, and the error. */
  append(lines: Buffer): Promise<Appended>;
  /** Writes lines synchronously, at the end of the process, when nothing can be awaited. May throw. */
  appendAtOnce(lines: Buffer): void;
  /** Reopens the file by its name. On failure, throws and keeps the open file. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}
