import { PortolanError } from '@portolan/plugin-api';

/** An event stream that has to be read holds an event larger than any may be. */
export function eventTooLarge(most: number): PortolanError {
  return new PortolanError(
    'ERR_ANSWER_TOO_LARGE',
    'unavailable',
    `The server sent an event larger than ${most} bytes.`,
    { hint: 'Look at what the server sends.' },
  );
}
