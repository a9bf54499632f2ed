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

/**
 * Creates the error for a restarted workload whose server negotiates another protocol revision than before.
 */
export function revisionChanged(name: string, before: string, now: string): PortolanError {
  return new PortolanError(
    'ERR_REVISION_CHANGED',
    'conflict',
    `The workload "${name}" used protocol revision ${before} before its restart, and uses ${now} now.`,
    { hint: 'Connect the client again, so that it negotiates the revision with the server.' },
  );
}
