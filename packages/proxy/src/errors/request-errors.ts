import { attachResponse, shortened } from '@portolan/mcp-protocol';
import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for an auth provider that neither identified the caller nor refused. */
export function callerUnknown(): PortolanError {
  return attachResponse(
    new PortolanError('ERR_CALLER_UNKNOWN', 'refused', 'The auth provider did not accept the credentials.', {
      hint: 'Correct the plugin of the auth provider: it must identify the caller or throw an error.',
    }),
    { status: 401 },
  );
}

/**
 * Creates the error for a body that its headers do not declare as JSON. Some servers would parse it anyway,
 * after the proxy checked nothing.
 */
export function contentTypeUnsupported(actual: string): PortolanError {
  return attachResponse(
    new PortolanError(
      'ERR_CONTENT_TYPE_UNSUPPORTED',
      'mistake',
      `The request has ${actual === '' ? 'no content type' : `the content type ${shortened(actual)}`}; expected application/json.`,
      { hint: 'Send the message with the header Content-Type: application/json.' },
    ),
    { status: 415 },
  );
}

/** Creates the error for a compressed body, which could not be checked. */
export function contentEncodingUnsupported(actual: string): PortolanError {
  return attachResponse(
    new PortolanError(
      'ERR_CONTENT_TYPE_UNSUPPORTED',
      'mistake',
      `The request has the content encoding ${shortened(actual)}; expected none.`,
      { hint: 'Send the message without Content-Encoding.' },
    ),
    { status: 415 },
  );
}

export function messageTooLarge(most: number): PortolanError {
  return attachResponse(
    new PortolanError('ERR_MESSAGE_TOO_LARGE', 'mistake', `The message is larger than ${most} bytes.`, {
      hint: 'Send less data in one message.',
    }),
    { status: 413, headers: { Connection: 'close' } },
  );
}

/** Creates the error for a repeated header, of which two programs could use different values. */
export function headerRepeated(name: string): PortolanError {
  return new PortolanError(
    'ERR_MESSAGE_INVALID',
    'mistake',
    `The request has more than one ${name} header.`,
    { hint: 'Send the header once.' },
  );
}

/** Creates the error for a Host header that names none of the names of a listener on loopback. */
export function hostNotAllowed(): PortolanError {
  return new PortolanError('ERR_HOST_NOT_ALLOWED', 'refused', 'Host not allowed', {
    hint: 'Use localhost or an IP address. A web page could have made any other name resolve to this machine.',
  });
}

/** Creates the error for a web page of a forbidden origin. */
export function originNotAllowed(): PortolanError {
  return new PortolanError('ERR_ORIGIN_NOT_ALLOWED', 'refused', 'Origin not allowed', {
    hint: 'Allow the origin with `portolan change NAME --allowed-origins ORIGIN`.',
  });
}

export function methodNotPossible(method: string, allowed: readonly string[]): PortolanError {
  return attachResponse(
    new PortolanError(
      'ERR_METHOD_NOT_POSSIBLE',
      'mistake',
      `${shortened(method)} is not supported here; expected one of ${allowed.join(', ')}.`,
      { hint: 'Use one of the listed methods.' },
    ),
    { status: 405 },
  );
}

/** Creates the error for a request to switch to another protocol (`Upgrade`). */
export function upgradeNotPossible(): PortolanError {
  return new PortolanError(
    'ERR_METHOD_NOT_POSSIBLE',
    'mistake',
    'The connection cannot be upgraded to another protocol.',
    {
      hint: 'Use plain HTTP: MCP has no transport over WebSocket.',
    },
  );
}

export function pathUnknown(expected: string): PortolanError {
  return new PortolanError(
    'ERR_PATH_UNKNOWN',
    'absent',
    `Nothing is served at this path; the server is at ${expected}.`,
    { hint: `Use the path ${expected}.` },
  );
}

/** Creates the error for a client that accepts neither JSON nor event streams as required. */
export function notAcceptable(needed: string): PortolanError {
  return attachResponse(
    new PortolanError('ERR_NOT_ACCEPTABLE', 'mistake', `Not acceptable: the client must accept ${needed}.`, {
      hint: `Send the header Accept: ${needed}.`,
    }),
    { status: 406 },
  );
}
