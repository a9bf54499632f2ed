import type { Agent } from 'node:http';
import { isPortolanError, type PortolanError, resolveReference } from '@portolan/plugin-api';
import { backendUnreachable, redirectRefused } from '../../errors/backend-errors.ts';

const REDIRECTS: readonly number[] = [301, 302, 307, 308];
const MAX_REDIRECTS = 10;

export function isRedirect(status: number): boolean {
  return REDIRECTS.includes(status);
}

/**
 * Returns the address of a redirect, or the error for a forbidden one. Allowed are redirects to the same
 * host, but not from https to http. `hops` is the number of earlier redirects.
 */
export function followRedirect(
  from: URL,
  location: string,
  hops: number,
  { agent, target }: { readonly agent: Agent | undefined; readonly target: URL },
): URL | PortolanError {
  const to = resolveReference(from, location);
  if (to === undefined) return redirectRefused('to an invalid address');
  if (hops >= MAX_REDIRECTS) return redirectRefused(`more than ${MAX_REDIRECTS} times`);
  if (from.protocol === 'https:' && to.protocol !== 'https:') return redirectRefused('from https to http');
  if (!['http:', 'https:'].includes(to.protocol) || to.host !== from.host)
    return redirectRefused(`to another address, ${to.origin}`);
  // The agent connects to one server with one protocol.
  if (agent !== undefined && to.protocol !== target.protocol) return redirectRefused(`to ${to.origin}`);
  return to;
}

export function toForwardError(error: unknown): PortolanError {
  return isPortolanError(error) ? error : backendUnreachable(error);
}

/** Returns the error for a response with an invalid HTTP status. */
export function statusError(status: number | undefined): PortolanError {
  return backendUnreachable(new Error(`the server responded with status ${status}`));
}
