import { setTimeout as pass } from 'node:timers/promises';
import type { OpenFetch } from '@portolan/plugin-api';

/** Limits of the retries of a request. */
export interface RetryLimits {
  readonly options: { readonly timeoutMs: number };
  readonly signal: AbortSignal;
}

/** Minimum time between two attempts, in ms. A shorter `Retry-After` counts as this. */
export const MIN_RETRY_MS = 200;

/**
 * Sends a request, and sends it again while the response asks for it by `Retry-After`, as that of a workload
 * whose server still starts does. Returns the last response at the latest after the timeout of the command.
 */
export async function sendPatiently(
  send: OpenFetch['fetch'],
  request: Parameters<OpenFetch['fetch']>,
  { options: { timeoutMs }, signal }: RetryLimits,
): Promise<Response> {
  const { findRetryDelay } = await import('@portolan/mcp-client');
  const end = performance.now() + timeoutMs;
  for (;;) {
    const response = await send(...request);
    const { status, headers } = response;
    const asked = findRetryDelay(
      status,
      headers.get('retry-after') ?? undefined,
      headers.get('date') ?? undefined,
    );
    const delayMs = Math.max(asked ?? 0, MIN_RETRY_MS);
    const [, init] = request;
    if (asked === undefined || init?.method === 'DELETE' || performance.now() + delayMs > end)
      return response;
    await response.body?.cancel();
    const signals = [signal, ...(init?.signal ? [init.signal] : [])];
    await pass(delayMs, undefined, { signal: AbortSignal.any(signals) });
  }
}

/**
 * Returns the revision to try after a server refused the handshake, and adds the refused one to `tried`.
 * Returns undefined for other faults, and when none is left.
 */
export async function revisionAfter(error: unknown, tried: string[]): Promise<string | undefined> {
  if (!(error instanceof Error) || !isRefusal(error)) return undefined;
  // loaded on demand, because few servers need it
  const { NEWEST_LEGACY, otherRevision } = await import('@portolan/mcp-protocol');
  if (tried.length === 0) tried.push(NEWEST_LEGACY);
  const next = otherRevision(error, tried);
  if (next !== undefined) tried.push(next);
  return next;
}

/**
 * Returns whether a server refused the handshake: by a JSON-RPC error, whose code is a number, or by status
 * 400.
 */
function isRefusal(error: Error): boolean {
  const code = 'code' in error ? error.code : undefined;
  const status = 'status' in error ? error.status : undefined;
  return status === undefined ? typeof code === 'number' : status === 400;
}
