import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for an event of the server above the size limit. */
export function eventTooLarge(most: number): PortolanError {
  return new PortolanError(
    'ERR_ANSWER_TOO_LARGE',
    'unavailable',
    `The server sent an event larger than ${most} bytes.`,
    { hint: 'Report this to the author of the server, or request less data at once.' },
  );
}
