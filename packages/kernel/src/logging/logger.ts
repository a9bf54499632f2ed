import { type Logger, standardError, isPortolanError } from '@portolan/plugin-api';
import { pino } from 'pino';
import type { SecretValues } from './secret-values.ts';

interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly hint?: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
  readonly errors?: readonly LoggedError[];
}

const DEEPEST = 5;

/**
 * Converts any thrown value to the form in which it is logged. Omits the stack of an expected error, and of
 * its causes from the operating system, unless `stacks` is set. An internal error with a hint counts as
 * expected.
 */
function describeError(error: unknown, stacks = false, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: messageOf(error) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const hint = isPortolanError(error) ? error.hint : undefined;
  const isForeseen = isPortolanError(error) && (error.class !== 'fault' || hint !== undefined);
  const isOfSystem = depth > 0 && code !== undefined;
  const { stack, cause, message, name } = error;
  const goesOn = depth < DEEPEST;
  return {
    type: name,
    message,
    ...(code === undefined ? {} : { code }),
    ...(hint === undefined ? {} : { hint }),
    ...(stack === undefined || (!stacks && (isForeseen || isOfSystem)) ? {} : { stack }),
    ...(cause === undefined || !goesOn ? {} : { cause: describeError(cause, stacks, depth + 1) }),
    ...(error instanceof AggregateError && goesOn
      ? { errors: error.errors.map((one) => describeError(one, stacks, depth + 1)) }
      : {}),
  };
}

function messageOf(thrown: unknown): string {
  try {
    return typeof thrown === 'string' ? thrown : (JSON.stringify(thrown) ?? String(thrown));
  } catch {
    return 'something that cannot be written';
  }
}

const MAX_CHARACTERS = 64 * 1024;

/**
 * Collects log lines and writes them together, because each write is a system call. Writes at the end of the
 * event loop turn, above 64 kB, and on exit.
 */
export class LineCollector {
  readonly #destination: { write(text: string): unknown };
  #lines: string[] = [];
  #characters = 0;

  constructor(destination: { write(text: string): unknown }) {
    this.#destination = destination;
  }

  write(line: string): void {
    if (this.#lines.length === 0) {
      setImmediate(this.#flush);
      process.once('exit', this.#flush);
    }
    this.#lines.push(line);
    this.#characters += line.length;
    if (this.#characters > MAX_CHARACTERS) this.#flush();
  }

  readonly #flush = (): void => {
    if (this.#lines.length === 0) return;
    const text = this.#lines.join('');
    this.#lines = [];
    this.#characters = 0;
    process.removeListener('exit', this.#flush);
    this.#destination.write(text);
  };
}

export interface LogDestination {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

export interface LoggerOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Destination of log lines. Default: standard error. */
  readonly destination?: LogDestination | undefined;
  readonly debug?: boolean | undefined;
  readonly secrets: SecretValues;
}

const LEVELS: ReadonlyMap<string, string> = new Map([
  ['debug', 'debug'],
  ['info', 'info'],
  ['warn', 'warn'],
  ['warning', 'warn'],
  ['error', 'error'],
]);

/** Matches names of fields whose strings and numbers are secrets, at any depth. */
const SECRET_FIELD =
  /("(?:[\w-]*(?:password|passphrase|secret|token|api[_-]?key|credentials?|authorization)|(?:set-)?cookie)":)(?:"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*)/gi;

const SECRET_WORD = /pass|secret|token|api[_-]?key|credential|authorization|cookie/i;

function withoutSecretFields(line: string): string {
  return SECRET_WORD.test(line) ? line.replaceAll(SECRET_FIELD, '$1"[secret]"') : line;
}

function withOneError(fields: Readonly<Record<string, unknown>>, stacks: boolean): Record<string, unknown> {
  const { err, error, ...others } = fields;
  const thrown = err ?? error;
  return thrown === undefined ? others : { ...others, err: describeError(thrown, stacks) };
}

/** Returns a function for the time in pino's format, which computes the text once per millisecond. */
function isoTime(): () => string {
  let at = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== at) {
      at = now;
      text = `,"time":"${new Date(now).toISOString()}"`;
    }
    return text;
  };
}

/**
 * Creates a logger of JSON lines (`level`, RFC 3339 `time`, fields, `msg`), or of lines for people on a
 * terminal and with PORTOLAN_LOG_FORMAT=pretty. Level: `debug`, PORTOLAN_LOG_LEVEL or LOG_LEVEL; default
 * info. Never writes secrets.
 */
export async function createLogger(options: LoggerOptions): Promise<Logger> {
  const { environment, secrets, debug } = options;
  const requested = environment['PORTOLAN_LOG_LEVEL'] || environment['LOG_LEVEL'] || 'info';
  const level = debug === true ? 'debug' : LEVELS.get(requested.toLowerCase());
  const logger = pino(
    {
      level: level ?? 'info',
      base: null,
      timestamp: isoTime(),
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => withOneError(fields, level === 'debug'),
      },
      serializers: { err: (described: unknown) => described },
      hooks: { streamWrite: (line) => secrets.maskJson(withoutSecretFields(line)) },
    },
    await openStream(options),
  );
  if (level === undefined) {
    logger.warn({ found: requested, used: 'info', accepted: [...LEVELS.keys()] }, 'unknown log level');
  }
  return logger;
}

async function openStream({ environment, destination }: LoggerOptions): Promise<pino.DestinationStream> {
  const terminal = destination === undefined ? process.stderr.isTTY : destination.isTTY === true;
  const format = environment['PORTOLAN_LOG_FORMAT']?.toLowerCase();
  const pretty = format === 'pretty' || (terminal && format !== 'json');
  const form = pretty ? 'text' : 'json';
  const stream =
    destination ?? new LineCollector({ write: (text: string) => standardError.write(text, form) });
  if (!pretty) return { write: (line) => void stream.write(line) };
  const { PinoPretty } = await import('pino-pretty');
  const { Writable } = await import('node:stream');
  return PinoPretty({
    colorize: terminal && !environment['NO_COLOR'],
    translateTime: 'HH:MM:ss.l',
    sync: true,
    destination: new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        stream.write(chunk.toString());
        done();
      },
    }),
  });
}
