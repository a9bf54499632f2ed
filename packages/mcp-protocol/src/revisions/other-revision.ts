import { LEGACY_REVISIONS } from './revisions.ts';
import { INTERNAL_ERROR } from '../message/rpc-codes.ts';

/**
 * Returns the revision to try after a refused `initialize`: from `data.supported` (MCP specification,
 * Lifecycle, Error Handling), otherwise the newest untried.
 */
export function otherRevision(error: unknown, tried: readonly string[]): string | undefined {
  const left = LEGACY_REVISIONS.toReversed().filter((revision) => !tried.includes(revision));
  const supported = supportedIn(error);
  if (supported === undefined && isInternal(error)) return undefined;
  return supported === undefined ? left[0] : left.find((revision) => supported.includes(revision));
}

function isInternal(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === INTERNAL_ERROR;
}

function supportedIn(error: unknown): readonly unknown[] | undefined {
  if (typeof error !== 'object' || error === null || !('data' in error)) return undefined;
  const { data } = error;
  if (typeof data !== 'object' || data === null || !('supported' in data)) return undefined;
  return Array.isArray(data.supported) ? data.supported : undefined;
}
