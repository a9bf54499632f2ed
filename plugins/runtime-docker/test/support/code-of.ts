import { isPortolanError } from '@portolan/plugin-api';

/** The code of the error that the promise rejects with. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return isPortolanError(error) ? error.code : String(error);
  }
  return 'no error';
}
