import { copyFileSync, fstatSync, ftruncateSync } from 'node:fs';
import { type Logger, standardError } from '@portolan/plugin-api';

const STDERR = 2;
const MAX_BYTES = 4 * 1024 * 1024;
const SHORTEST_MASKED = 4;

/**
 * The log of a supervisor on its standard error: a JSON document a line. When
 * that is a file, it is kept below a bound. On a full disk lines are lost and
 * counted, and the supervisor goes on. Secret values are never written.
 */
export class SupervisorLog implements Logger {
  #isDebug: boolean;
  readonly #masked = new Set<string>();
  #file: string | undefined;

  constructor(environment: Readonly<Record<string, string | undefined>> = process.env) {
    const level = environment['PORTOLAN_LOG_LEVEL'] || environment['LOG_LEVEL'] || 'info';
    this.#isDebug = level.toLowerCase() === 'debug';
  }

  get isDebug(): boolean {
    return this.#isDebug;
  }

  /** Enables debug lines: each step and decision of the supervisor. */
  writeDetails(): void {
    this.#isDebug = true;
  }

  /** Takes a value out of everything that is written from now on. */
  mask(value: string): void {
    if (value.length < SHORTEST_MASKED) return;
    this.#masked.add(value).add(JSON.stringify(value).slice(1, -1));
  }

  /** Says in which file the lines are: a long one begins anew, and its lines are moved to `FILE.1`. */
  boundTo(file: string): void {
    this.#file = file;
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
      // There is no other place to report it: the log grows, or its older lines are gone.
    }
  }
}

/** Errors have nothing that JSON would show. */
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
