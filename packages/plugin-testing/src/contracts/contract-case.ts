import { isPortolanError } from '@portolan/plugin-api';
import { describe, it } from 'mocha';

/** One promise of a contract and how it is tried; it throws when the promise is not kept. */
export interface ContractCase {
  /** A sentence whose subject is the title of the suite. */
  readonly title: string;
  readonly run: () => Promise<void>;
}

/** For a machine that has other things to do: a case says itself what has to be soon. */
const CASE_TIMEOUT_MS = 60_000;

/** Makes a mocha suite of the cases. To be called where a `describe` may stand. */
export function registerContract(title: string, cases: readonly ContractCase[]): void {
  describe(title, function () {
    this.timeout(CASE_TIMEOUT_MS);
    for (const { title: sentence, run } of cases) it(sentence, run);
  });
}

/** Whether an error can be shown to people. */
export function isHelpful(error: unknown): boolean {
  return isPortolanError(error) && error.hint !== undefined && error.message !== '';
}

/** What a promise rejects with; undefined when it does not. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}
