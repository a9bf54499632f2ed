import { isPortolanError, type PortolanError } from '@portolan/plugin-api';

/** The coded error with which an action fails; throws when it does not. */
export async function faultOf(action: () => unknown): Promise<PortolanError> {
  let thrown: unknown;
  try {
    await action();
  } catch (error) {
    thrown = error;
  }
  if (!isPortolanError(thrown)) throw new Error('expected an error with a code', { cause: thrown });
  return thrown;
}
