import { isPortolanError } from '@portolan/plugin-api';
import { type RunFlagName, typedFlag } from '@portolan/run-spec';
import { ForwardedError } from '../../forwarded-error.ts';

/**
 * Returns the result of the action. Puts the flag in front of an error about the user's input, unless the
 * error names the flag already: the code that reads a file does not know which flag named the file.
 */
export async function nameFlag<Result>(flag: RunFlagName, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    const place = typedFlag(flag);
    if (!isPortolanError(error) || error.class !== 'mistake' || error.message.includes(place)) throw error;
    const { message, hint, cause } = error;
    throw new ForwardedError(error, `${place}: ${message}`, {
      ...(hint === undefined ? {} : { hint }),
      ...(cause === undefined ? {} : { cause }),
    });
  }
}
