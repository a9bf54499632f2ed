import { isPortolanError } from '@portolan/plugin-api';
import { type RunFlagName, typedFlag } from '@portolan/run-spec';
import { ForwardedError } from '../../forwarded-error.ts';

/**
 * Runs `action` and puts the flag's name in front of error messages about the user's input. Code that reads a
 * file does not know which flag named the file.
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
