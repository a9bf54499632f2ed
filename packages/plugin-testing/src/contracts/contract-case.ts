import { isPortolanError } from '@portolan/plugin-api';
import { describe, it } from 'mocha';

/** Test case for one rule of a contract. `run` throws when the rule is violated. */
export interface ContractCase {
  /** Title of the test, whose subject is the title of the suite. */
  readonly title: string;
  readonly run: () => Promise<void>;
}

/**
 * Timeout in milliseconds, long enough for a busy machine. Cases with a shorter limit check it themselves.
 */
const CASE_TIMEOUT_MS = 60_000;

/** Registers the cases as a mocha suite. Call it where `describe` is allowed. */
export function registerContract(title: string, cases: readonly ContractCase[]): void {
  describe(title, function () {
    this.timeout(CASE_TIMEOUT_MS);
    for (const { title: sentence, run } of cases) it(sentence, run);
  });
}

/** Returns whether an error is fit for people. */
export function isHelpful(error: unknown): boolean {
  return isPortolanError(error) && error.hint !== undefined && error.message !== '';
}

/** Returns the reason of a rejection. Undefined when the promise resolves. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}
