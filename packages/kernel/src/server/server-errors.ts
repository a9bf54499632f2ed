import { PortolanError } from '@portolan/plugin-api';
import type { ConfigProblem } from '../faults/config-problem.ts';

/** A source that was to be made through the API cannot be: the error carries every problem under `problems`. */
export function sourceInvalid(
  problems: readonly ConfigProblem[],
): PortolanError & { readonly problems: readonly ConfigProblem[] } {
  const sentences = problems.map(({ place, found, expected, didYouMean }) => {
    const more = didYouMean === undefined ? '' : ` (did you mean "${didYouMean}"?)`;
    return `${place}: found ${found}; expected ${expected}${more}`;
  });
  const text = `The source cannot be used. ${sentences.join('. ')}.`;
  return Object.assign(new PortolanError('ERR_SOURCE_INVALID', 'mistake', text), { problems });
}

/** The kind itself refuses a source that was to be made through the API, in words that are meant for people. */
export function sourceRefused(cause: PortolanError): PortolanError {
  return new PortolanError('ERR_SOURCE_INVALID', 'mistake', `The source cannot be used. ${cause.message}`, {
    ...(cause.hint === undefined ? {} : { hint: cause.hint }),
    cause,
  });
}
