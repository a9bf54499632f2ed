import type { GuardedHooks } from '@portolan/kernel';
import type { Logger } from '@portolan/plugin-api';
import type { RefusalListener } from './reject-bad-request.ts';

/**
 * Records unparsable requests, so that scans become visible. The records contain no path, because the data is
 * not parsed.
 */
export function recordRefusal({
  logger,
  hooks,
  clock,
}: {
  readonly logger: Logger;
  readonly hooks: Pick<GuardedHooks, 'accessDecided'>;
  readonly clock: () => Date;
}): RefusalListener {
  return ({ requestId, status, code, method, remoteAddress, remotePort, bytes }) => {
    logger.info(
      {
        method,
        path: '',
        status,
        code,
        duration_ms: 0,
        response_bytes: bytes,
        request_id: requestId,
        remote_addr: remoteAddress,
        sub: 'anonymous',
      },
      'request',
    );
    hooks.accessDecided({
      requestId,
      at: clock(),
      method,
      route: '',
      path: '',
      status,
      allowed: false,
      because: 'malformed',
      event: undefined,
      target: {},
      subject: undefined,
      user: undefined,
      provider: undefined,
      roles: [],
      registry: undefined,
      remoteAddress: remoteAddress.includes(':')
        ? `[${remoteAddress}]:${remotePort}`
        : `${remoteAddress}:${remotePort}`,
      forwardedFor: undefined,
      userAgent: undefined,
      durationMs: 0,
      responseBytes: bytes,
      requestBody: undefined,
    });
  };
}
