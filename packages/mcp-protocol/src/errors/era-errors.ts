import { PortolanError } from '@portolan/plugin-api';
import { attachResponse } from './error-response.ts';
import { shortened } from './shortened.ts';

/** Creates the error for headers that contradict the body, or a missing header that must repeat it. */
export function headerMismatch(fault: string): PortolanError {
  return attachResponse(
    new PortolanError('ERR_HEADER_MISMATCH', 'mistake', `Headers and body differ: ${fault}.`, {
      hint: 'Send MCP-Protocol-Version, Mcp-Method and Mcp-Name with the values from the body.',
    }),
    { rpcCode: -32020 },
  );
}

/** Creates the error for an incomplete envelope in `params._meta`. */
export function envelopeInvalid(fault: string): PortolanError {
  return attachResponse(
    new PortolanError(
      'ERR_MESSAGE_INVALID',
      'mistake',
      `The envelope of the request is incomplete: ${fault}.`,
      {
        hint: 'Put protocolVersion and clientCapabilities into "params._meta", with the prefix io.modelcontextprotocol/.',
      },
    ),
    { rpcCode: -32602 },
  );
}

/** Creates the error for a request with an unsupported protocol revision. */
export function revisionUnsupported(requested: string, supported: readonly string[]): PortolanError {
  const error = new PortolanError(
    'ERR_REVISION_UNSUPPORTED',
    'mistake',
    `The protocol revision ${shortened(requested)} is not supported.`,
    { hint: `Use one of ${supported.join(', ')}.` },
  );
  return attachResponse(error, { rpcCode: -32022, data: { supported, requested } });
}

/** Creates the error for a version header that names no revision with sessions. */
export function revisionUnknown(actual: string, known: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_REVISION_UNSUPPORTED',
    'mistake',
    `MCP-Protocol-Version is ${shortened(actual)}; expected one of ${known.join(', ')}.`,
    { hint: 'Send the version from the response to "initialize".' },
  );
}

/**
 * Creates the error for a server that only supports revisions with a handshake. Clients that also support a
 * handshake then use `initialize`.
 */
export function serverIsLegacy(served: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_SERVER_IS_LEGACY',
    'mistake',
    `This server only supports revisions that start with "initialize": ${served.join(', ')}. The workload's setting --translate-eras serves other clients.`,
    { hint: 'Start with "initialize".' },
  );
}

/** Creates the error for a method that the revision of the request does not have. */
export function methodUnknown(method: string): PortolanError {
  return attachResponse(
    new PortolanError('ERR_METHOD_UNKNOWN', 'absent', `Method not found: ${shortened(method)}`, {
      hint: 'Use a method of the revision that the request names.',
    }),
    { rpcCode: -32601 },
  );
}

/** Creates the error for more open subscriptions than the maximum per server. */
export function subscriptionsExhausted(most: number): PortolanError {
  return new PortolanError('ERR_SERVER_BUSY', 'busy', `Subscription limit reached: ${most} are open.`, {
    hint: 'Close a subscription, or try again later.',
    retryAfterSeconds: 60,
  });
}

/**
 * Creates the error for a request of a revision without a handshake over HTTP+SSE. The code makes clients of
 * both eras fall back to `initialize`.
 */
export function transportIsLegacy(served: readonly string[]): PortolanError {
  return attachResponse(
    new PortolanError(
      'ERR_SERVER_IS_LEGACY',
      'mistake',
      `Method not found: HTTP+SSE supports the revisions ${served.join(', ')}; later ones need streamable HTTP.`,
      {
        hint: 'Start with "initialize", or change the proxy with `portolan change NAME --proxy-mode streamable-http`.',
      },
    ),
    { rpcCode: -32601 },
  );
}
