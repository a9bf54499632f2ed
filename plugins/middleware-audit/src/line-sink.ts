import type { Appended } from './descriptor.ts';

/** Final destination of lines. Its functions are never called concurrently. */
export interface LineSink {
  /** For messages. */
  readonly name: string;
  /** Writes whole lines at once. Never rejects: returns how much was written, and the error. */
  append(lines: Buffer): Promise<Appended>;
  /** For the end of the process, when nothing can be awaited. May throw. */
  appendAtOnce(lines: Buffer): void;
  /** Opens the same name again. Throws on failure, and then nothing changes. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}
