import type { Appended } from './descriptor.ts';

/** Where lines go in the end. Its functions are called one after the other. */
export interface LineSink {
  /** For messages. */
  readonly name: string;
  /** Writes whole lines in one go. Never rejects: says how far it came, and what stopped it. */
  append(lines: Buffer): Promise<Appended>;
  /** For the end of the process, when nobody can wait any more. May throw. */
  appendAtOnce(lines: Buffer): void;
  /** Opens the same name again. Throws when that fails; then everything is as before. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}
