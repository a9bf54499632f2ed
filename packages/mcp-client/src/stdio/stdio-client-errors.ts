import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for a line of the client above the size limit. */
export function clientLineTooLong(maxBytes: number): PortolanError {
  return new PortolanError(
    'ERR_MESSAGE_INVALID',
    'mistake',
    `A line on standard input has more than ${maxBytes} bytes; expected one MCP message per line.`,
    { hint: 'Start this command from a client that speaks MCP on standard input and output.' },
  );
}
