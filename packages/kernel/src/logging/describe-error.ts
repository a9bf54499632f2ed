import { isPortolanError } from '@portolan/plugin-api';

export interface LoggedError {
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
