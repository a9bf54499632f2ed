import type { Appended } from './descriptor.ts';

/** Functions are never called concurrently. */
export interface LineSink {
  readonly name: string;
  /** Never rejects: returns how much was written, and the error. */
  append(lines: Buffer): Promise<Appended>;
  /** For the end of the process, when nothing can be awaited. May throw. */
  appendAtOnce(lines: Buffer): void;
  /** Throws on failure, and then nothing changes. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}
