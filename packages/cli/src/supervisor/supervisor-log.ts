import { closeSync, copyFileSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';
import { type Logger, standardError } from '@portolan/plugin-api';

const STDOUT = 1;
const STDERR = 2;
const MAX_BYTES = 4 * 1024 * 1024;
const SHORTEST_MASKED = 4;

/**
 * Log of a supervisor on its standard error: one JSON document per line. The size of a log file is limited.
 * On a full disk, lines are lost and counted, and the supervisor continues. Secret values are masked.
 */
export class SupervisorLog implements Logger {
  readonly #isDebug: boolean;
  readonly #masked = new Set<string>();
  #file: string | undefined;

  constructor(environment: Readonly<Record<string, string | undefined>> = process.env) {
    const level = environment['PORTOLAN_LOG_LEVEL'] || environment['LOG_LEVEL'] || 'info';
    this.#isDebug = level.toLowerCase() === 'debug';
  }

  get isDebug(): boolean {
    return this.#isDebug;
  }

  /** Masks a value in all later lines. */
  mask(value: string): void {
    if (value.length < SHORTEST_MASKED) return;
    this.#masked.add(value).add(JSON.stringify(value).slice(1, -1));
  }

  /**
   * Moves standard output and standard error of this process to the end of `file`, with the lines that were written
   * before. When the file exceeds 4 MiB, its lines move to `FILE.1`. Throws when the file cannot be opened.
   */
  moveTo(file: string): void {
    const earlier = readWritten(STDERR);
    for (const descriptor of [STDOUT, STDERR]) {
      closeSync(descriptor);
      // POSIX opens the lowest free descriptor, which is the one that was just closed.
      const opened = openSync(file, 'a', 0o600);
      if (opened !== descriptor)
        throw new Error(`the log was opened as descriptor ${opened}, not ${descriptor}`);
    }
    this.#file = file;
    if (earlier.length > 0) standardError.write(earlier);
  }

  debug(fields: object, message: string): void {
    if (this.#isDebug) this.#write('debug', fields, message);
  }

  info(fields: object, message: string): void {
    this.#write('info', fields, message);
  }

  warn(fields: object, message: string): void {
    this.#write('warn', fields, message);
  }

  error(fields: object, message: string): void {
    this.#write('error', fields, message);
  }

  #write(level: string, fields: object, message: string): void {
    const entry = { level, time: new Date().toISOString(), ...withErrors(fields), msg: message };
    let line = JSON.stringify(entry);
    for (const value of this.#masked) line = line.replaceAll(value, '[secret]');
    this.#makeRoom();
    standardError.write(`${line}\n`);
  }

  #makeRoom(): void {
    if (this.#file === undefined) return;
    try {
      if (fstatSync(STDERR).size < MAX_BYTES) return;
      try {
        copyFileSync(this.#file, `${this.#file}.1`);
      } finally {
        ftruncateSync(STDERR);
      }
    } catch {
      // This log is the only place for errors, so a failed rotation is ignored. The log grows, or its older
      // lines are lost.
    }
  }
}

/** Returns the fields with errors as objects, because `JSON.stringify` omits the properties of an error. */
function withErrors(fields: object): object {
  const entries = Object.entries(fields).map(([name, value]: [string, unknown]) => [
    name,
    value instanceof Error ? describe(value) : value,
  ]);
  return Object.fromEntries(entries);
}

function describe(error: Error): object {
  const code = 'code' in error ? { code: error.code } : {};
  const cause = error.cause instanceof Error ? { cause: describe(error.cause) } : {};
  return { type: error.name, ...code, message: error.message, stack: error.stack, ...cause };
}

/** Returns the content of a regular file by its descriptor, otherwise nothing. */
function readWritten(descriptor: number): string {
  const status = fstatSync(descriptor);
  if (!status.isFile()) return '';
  const bytes = Buffer.alloc(status.size);
  readSync(descriptor, bytes, 0, bytes.length, 0);
  return bytes.toString('utf8');
}
