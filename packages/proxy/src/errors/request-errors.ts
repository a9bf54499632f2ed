import { answering, shortened } from '@portolan/mcp-protocol';
import { PortolanError } from '@portolan/plugin-api';

/** The auth provider has neither said who asks nor why it does not say so. */
export function callerUnknown(): PortolanError {
  return answering(
    new PortolanError('ERR_CALLER_UNKNOWN', 'refused', 'Nobody has said that the credential is good.', {
      hint: 'Look at the auth provider: it has to go on, or to throw.',
    }),
    { status: 401 },
  );
}

/** The body is not said to be JSON. A server would read it all the same, past every check. */
export function contentTypeUnsupported(found: string): PortolanError {
  return answering(
    new PortolanError(
      'ERR_CONTENT_TYPE_UNSUPPORTED',
      'mistake',
      `The request has ${found === '' ? 'no content type' : `the content type ${shortened(found)}`}; expected application/json.`,
      { hint: 'Send the message with the header Content-Type: application/json.' },
    ),
    { status: 415 },
  );
}

/** The body is compressed, so that it could not be checked. */
export function contentEncodingUnsupported(found: string): PortolanError {
  return answering(
    new PortolanError(
      'ERR_CONTENT_TYPE_UNSUPPORTED',
      'mistake',
      `The request has the content encoding ${shortened(found)}; expected none.`,
      { hint: 'Send the message without Content-Encoding.' },
    ),
    { status: 415 },
  );
}

/** The body is larger than any message may be. */
export function messageTooLarge(most: number): PortolanError {
  return answering(
    new PortolanError('ERR_MESSAGE_TOO_LARGE', 'mistake', `The message is larger than ${most} bytes.`, {
      hint: 'Send less in one message.',
    }),
    { status: 413, headers: { Connection: 'close' } },
  );
}

/** One of several values of a header would be believed by one program and another by the next. */
export function headerRepeated(name: string): PortolanError {
  return new PortolanError(
    'ERR_MESSAGE_INVALID',
    'mistake',
    `The request has more than one ${name} header.`,
    { hint: 'Send the header once.' },
  );
}

/** The Host header names none of the names under which a listener on loopback is reached. */
export function hostNotAllowed(): PortolanError {
  return new PortolanError('ERR_HOST_NOT_ALLOWED', 'refused', 'Host not allowed', {
    hint: 'Use localhost or an IP address: other names could be of a web page that pretends to be this machine.',
  });
}

/** A web page of another origin asks. */
export function originNotAllowed(): PortolanError {
  return new PortolanError('ERR_ORIGIN_NOT_ALLOWED', 'refused', 'Origin not allowed', {
    hint: 'Allow the origin with `portolan change NAME --allowed-origins ORIGIN`.',
  });
}

/** The path has this method not. */
export function methodNotPossible(method: string, allowed: readonly string[]): PortolanError {
  return answering(
    new PortolanError(
      'ERR_METHOD_NOT_POSSIBLE',
      'mistake',
      `${shortened(method)} is not possible here; allowed: ${allowed.join(', ')}.`,
      { hint: 'Use one of the methods in the message.' },
    ),
    { status: 405 },
  );
}

/** The client asks for another protocol on the connection. */
export function upgradeNotPossible(): PortolanError {
  return new PortolanError('ERR_METHOD_NOT_POSSIBLE', 'mistake', 'The connection cannot be upgraded.', {
    hint: 'Use plain HTTP: MCP has no transport over WebSocket.',
  });
}

/** Nothing of MCP is at this path. */
export function pathUnknown(expected: string): PortolanError {
  return new PortolanError(
    'ERR_PATH_UNKNOWN',
    'absent',
    `There is nothing here; the server is at ${expected}.`,
    { hint: `Use the path ${expected}.` },
  );
}

/** The client can read neither of the two forms of an answer. */
export function notAcceptable(needed: string): PortolanError {
  return answering(
    new PortolanError('ERR_NOT_ACCEPTABLE', 'mistake', `Not acceptable: the client must accept ${needed}.`, {
      hint: `Send the header Accept: ${needed}.`,
    }),
    { status: 406 },
  );
}
