import { PortolanError, type PortolanErrorDetails } from '@portolan/plugin-api';
import type { ConfigProblem } from '../faults/config-problem.ts';

/** Creates the error for a source from the API that cannot be accepted. */
export function invalidSource(reason: string, details: PortolanErrorDetails = {}): PortolanError {
  return new PortolanError('ERR_SOURCE_INVALID', 'mistake', `The source is invalid. ${reason}`, details);
}

/** Creates the error for an invalid source from the API. It contains every problem under `problems`. */
export function sourceInvalid(
  problems: readonly ConfigProblem[],
): PortolanError & { readonly problems: readonly ConfigProblem[] } {
  const sentences = problems.map(({ place, found, expected, didYouMean }) => {
    const more = didYouMean === undefined ? '' : ` (did you mean "${didYouMean}"?)`;
    return `${place}: found ${found}; expected ${expected}${more}`;
  });
  return Object.assign(invalidSource(`${sentences.join('. ')}.`), { problems });
}

/**
 * Creates the error for a source from the API that its kind rejects. It contains the kind's public message.
 */
export function sourceRefused(cause: PortolanError): PortolanError {
  return invalidSource(cause.message, { ...(cause.hint === undefined ? {} : { hint: cause.hint }), cause });
}
