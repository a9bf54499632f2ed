import { PortolanError } from '@portolan/plugin-api';

/** A server has written a line that is longer than a message may be. */
export function lineTooLong(mostBytes: number): PortolanError {
  return new PortolanError(
    'ERR_SERVER_LINE_TOO_LONG',
    `The server wrote a line of more than ${mostBytes} bytes.`,
    {
      hint: 'Messages of the stdio transport are one line each; ask the server for less at once.',
    },
  );
}
