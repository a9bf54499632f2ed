import { isJsonObject, isPortolanError, type PortolanError } from '@portolan/plugin-api';
import { describeExpiry, expiryOf } from '@portolan/registry-client';
import type { McpServer } from './find-server.ts';
import { printable } from '../terminal/printable.ts';
import { mcpDenied, mcpRefused, mcpUnauthorized, mcpUnreachable } from './mcp-errors.ts';

/**
 * Translates an error of the client library into a Portolan error; a Portolan error in the chain of causes is
 * returned unchanged.
 */
export function mcpFault(error: unknown, server: McpServer): PortolanError {
  const { label, headers } = server;
  const description = DESCRIPTIONS.get(server);
  const chain = causesOf(error);
  const own = chain.find(isPortolanError);
  if (own !== undefined) return own;
  const status = chain.map(statusOf).find((one) => one !== undefined);
  const isUnauthorized = chain.some(({ name }) => name === 'UnauthorizedError');
  if (status === 401 || isUnauthorized)
    return mcpUnauthorized(
      label,
      { hadToken: 'Authorization' in headers, description, expiry: expiryOfToken(headers) },
      error,
    );
  // The library validates messages with Zod, whose error text is too long for users.
  if (chain.some(({ name }) => name === 'ZodError' || name === 'SyntaxError'))
    return mcpRefused(label, 'the response is not a message of the protocol', error);
  const message = chain[0]?.message ?? String(error);
  const denialId = chain.map(denialIdOf).find((one) => one !== undefined);
  if (denialId !== undefined) return mcpDenied(label, printable(message), denialId, error);
  // The protocol's error codes are numbers; those of the library and of Node.js are strings.
  const code = chain.map(codeOf).find((one) => one !== undefined);
  if (code !== undefined && status === undefined) return mcpRefused(label, message, error, code);
  if (status !== undefined)
    return mcpRefused(label, `status ${status}: ${description ?? lastWords(message)}`, error, status);
  if (chain.some((one) => 'code' in one && NO_NETWORK.has(String(one.code))))
    return mcpRefused(label, message, error);
  return mcpUnreachable(label, chain.at(-1)?.message ?? message, error);
}

function expiryOfToken({ Authorization: value = '' }: McpServer['headers']): string | undefined {
  return describeExpiry(expiryOf(value.replace(/^Bearer /, '')));
}

/** Error descriptions of refused requests, by server. The library does not pass them on. */
const DESCRIPTIONS = new WeakMap<McpServer, string>();

/** Keeps `error_description` of a challenge (RFC 6750, section 3) for the error about this server. */
export function noteChallenge(server: McpServer, response: Response): void {
  const challenge = response.headers.get('WWW-Authenticate') ?? '';
  const [, quoted] = /\berror_description="((?:[^"\\]|\\.)*)"/i.exec(challenge) ?? [];
  if (quoted === undefined || quoted === '') DESCRIPTIONS.delete(server);
  else
    DESCRIPTIONS.set(server, printable(quoted.replaceAll(/\\(.)/g, '$1').slice(0, MAX_DESCRIPTION_LENGTH)));
}

const MAX_DESCRIPTION_LENGTH = 300;

/** Codes of library errors about a response that violates the protocol. */
const NO_NETWORK: ReadonlySet<string> = new Set([
  'CAPABILITY_NOT_SUPPORTED',
  'INVALID_RESULT',
  'UNSUPPORTED_RESULT_TYPE',
  'INPUT_REQUIRED_ROUNDS_EXCEEDED',
  'LIST_PAGINATION_EXCEEDED',
  'METHOD_NOT_SUPPORTED_BY_PROTOCOL_VERSION',
  'CLIENT_HTTP_UNEXPECTED_CONTENT',
]);

function causesOf(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  for (let cause = error; cause instanceof Error && !chain.includes(cause); cause = cause.cause)
    chain.push(cause);
  return chain;
}

/** Returns the id of a denial by a policy of the workload, from the data of a JSON-RPC error. */
function denialIdOf(error: Error): string | undefined {
  const data: unknown = 'data' in error ? error.data : undefined;
  const id = isJsonObject(data) ? data['denialId'] : undefined;
  return typeof id === 'string' && /^[\w-]{1,64}$/.test(id) ? id : undefined;
}

function codeOf(error: Error): number | undefined {
  return 'code' in error && typeof error.code === 'number' ? error.code : undefined;
}

function statusOf(error: Error): number | undefined {
  // The library sets no status for a 403 that names missing scopes.
  if (error.name === 'InsufficientScopeError') return 403;
  if ('status' in error && typeof error.status === 'number') return error.status;
  // For an event stream, the library puts the status into `code`, next to `event`.
  return 'event' in error && 'code' in error && typeof error.code === 'number' ? error.code : undefined;
}

/** Returns the text before any HTML, at most 300 characters. */
function lastWords(text: string): string {
  return text.split('<', 1)[0]?.trim().slice(0, 300) ?? '';
}
