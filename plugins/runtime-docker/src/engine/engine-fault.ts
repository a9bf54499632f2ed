import type { PortolanError } from '@portolan/plugin-api';
import { engineRefused, engineUnreachable } from '../errors.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'nothing is there',
  ECONNREFUSED: 'nothing listens',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOTFOUND: 'the host has no address',
  ETIMEDOUT: 'no response in time',
  TimeoutError: 'no response in time',
  ENOTDIR: 'nothing is there',
  ENOTSOCK: 'it is no socket',
};

/** Error codes of failed connections, as opposed to error responses of the engine. */
const CONNECTION_CODES: ReadonlySet<string> = new Set([
  ...Object.keys(REASONS),
  'ECONNRESET',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
]);

export function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return undefined;
  return typeof error.statusCode === 'number' ? error.statusCode : undefined;
}

/** Returns the message of the engine's error response without a trailing full stop. */
export function wordsOf(error: unknown): string {
  const json = typeof error === 'object' && error !== null && 'json' in error ? error.json : undefined;
  const message = typeof json === 'object' && json !== null && 'message' in json ? json.message : undefined;
  const text = typeof message === 'string' ? message : error instanceof Error ? error.message : String(error);
  // dockerode adds a prefix of its own to errors of stream responses.
  return text
    .replace(/^\(HTTP code \d+\) [^-]* - /, '')
    .trim()
    .replace(/\.$/, '');
}

export function unreachableReason(error: unknown): string {
  const code = codeOf(error);
  return (code === undefined ? undefined : REASONS[code]) ?? wordsOf(error);
}

export function isPermissionError(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'EACCES' || code === 'EPERM';
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.name === 'TimeoutError' ? error.name : undefined;
}

export function isConnectionError(error: unknown): boolean {
  const code = codeOf(error);
  if (code === undefined) return error instanceof Error && error.message === 'aborted';
  return CONNECTION_CODES.has(code) || code === 'ERR_RUNTIME_SSH';
}

/**
 * Converts the error of a failed request to a Portolan error. `action` completes the sentence "the engine
 * refuses to …".
 */
export function engineFault(
  engine: { readonly address: string; readonly from: string },
  action: string,
  error: unknown,
): PortolanError {
  if (statusOf(error) === undefined && isConnectionError(error)) {
    return engineUnreachable(engine, unreachableReason(error), error);
  }
  return engineRefused(action, wordsOf(error), error);
}
