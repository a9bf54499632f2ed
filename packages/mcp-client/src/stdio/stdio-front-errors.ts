import { PortolanError } from '@portolan/plugin-api';

/** A client on standard input has written more than one message may have, without a line break. */
export function clientLineTooLong(mostBytes: number): PortolanError {
  return new PortolanError(
    'ERR_MESSAGE_INVALID',
    'mistake',
    `A line on standard input has more than ${mostBytes} bytes; expected one message of MCP a line.`,
    { hint: 'Start this command from a client that speaks MCP on standard input and output.' },
  );
}

/** A workload was started again with a server that speaks another revision than the client has agreed on. */
export function revisionChanged(name: string, before: string, now: string): PortolanError {
  return new PortolanError(
    'ERR_REVISION_CHANGED',
    'conflict',
    `The workload "${name}" spoke revision ${before} of the protocol, and speaks ${now} since it was started again.`,
    { hint: 'Connect the client again, so that it agrees with the server anew.' },
  );
}
