import { isPortolanError } from '@portolan/plugin-api';

/** Returns the error with which a promise rejects. Its code is empty if it has none. */
export async function caughtError(
  promise: Promise<unknown>,
): Promise<{ readonly code: string; readonly message: string; readonly hint: string | undefined }> {
  try {
    await promise;
  } catch (error) {
    const { code, hint } = isPortolanError(error) ? error : { code: '', hint: undefined };
    return { code, hint, message: error instanceof Error ? error.message : String(error) };
  }
  throw new Error('it did not fail');
}
