import { isPortolanError } from '@portolan/plugin-api';

/** An error as a log line has it: always a map, with these keys and no others. */
export interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly hint?: string;
  /** Left out where the error was foreseen: its code and message say all there is to know. */
  readonly stack?: string;
  readonly cause?: LoggedError;
  readonly errors?: readonly LoggedError[];
}

const DEEPEST = 5;

/**
 * Whatever was thrown, in one form, so that an index of logs has one type for it.
 * An error that was foreseen comes without a stack, and so does what the system
 * refused and is its cause; with `stacks` all of them have one. A fault for which
 * somebody wrote a hint was foreseen, too: a catalogue that is none, for one.
 */
export function describeError(error: unknown, stacks = false, depth = 0): LoggedError {
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
