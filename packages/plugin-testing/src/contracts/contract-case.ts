import { isPortolanError } from '@portolan/plugin-api';
import { describe, it } from 'mocha';

/** Test case for one rule; `run` throws when it is violated. */
export interface ContractCase {
  /** Test title, whose subject is the title of the suite. */
  readonly title: string;
  readonly run: () => Promise<void>;
}

/** Timeout in milliseconds for a busy machine. Cases with a shorter limit check it themselves. */
const CASE_TIMEOUT_MS = 60_000;

export function registerContract(title: string, cases: readonly ContractCase[]): void {
  describe(title, function () {
    this.timeout(CASE_TIMEOUT_MS);
    for (const { title: sentence, run } of cases) it(sentence, run);
  });
}

export function isHelpful(error: unknown): boolean {
  return isPortolanError(error) && error.hint !== undefined && error.message !== '';
}

export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}
