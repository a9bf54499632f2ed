import { PortolanError } from '@portolan/plugin-api';
import { HttpFault } from './http-fault.ts';

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

export function isRevisionChange(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_REVISION_CHANGED';
}

/** Creates the fault for a session that the server does not know any more. */
export function sessionLost(name: string): HttpFault {
  return new HttpFault('session-lost', `${name} does not know this session`, { status: 404 });
}

/** Creates the fault for a request whose response will not come. The request may have run. */
export function disconnected(name: string, cause?: unknown): HttpFault {
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  return new HttpFault('interrupted', `${name} disconnected before it responded${why}`, { cause });
}
