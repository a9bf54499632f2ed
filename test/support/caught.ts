import { isPortolanError, type PortolanError } from '@portolan/plugin-api';

/** Returns the coded error that an action throws. Any other outcome fails the test. */
export async function caught(action: () => unknown): Promise<PortolanError> {
  try {
    await action();
  } catch (error) {
    if (isPortolanError(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
