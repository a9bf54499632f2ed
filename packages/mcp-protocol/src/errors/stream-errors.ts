import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for an event of the server above the size limit. */
export function eventTooLarge(most: number): PortolanError {
  return new PortolanError(
    'ERR_ANSWER_TOO_LARGE',
    'unavailable',
    `The server sent an event larger than ${most} bytes.`,
    { hint: 'Look at what the server sends.' },
  );
}
