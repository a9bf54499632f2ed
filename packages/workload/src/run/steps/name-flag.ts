import { isPortolanError } from '@portolan/plugin-api';
import { type RunFlagName, typedFlag } from '@portolan/run-spec';
import { ForwardedError } from '../../forwarded-error.ts';

/**
 * Returns what the action returns. An error about what the user wrote begins with the flag,
 * unless it names the flag already: a reader of a file does not know which flag named the file.
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
