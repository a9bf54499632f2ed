import { isPortolanError } from '@portolan/plugin-api';
import { type RunFlagName, typedFlag } from '@portolan/run-spec';
import { ForwardedError } from '../../forwarded-error.ts';

/**
 * Puts the flag in front of errors about the user's input, because code that reads a file does not know its
 * flag.
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
