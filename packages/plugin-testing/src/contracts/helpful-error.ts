import { isPortolanError } from '@portolan/plugin-api';

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
