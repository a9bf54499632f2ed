import type { KernelAuth, ServerConfig } from '@portolan/kernel';
import type { Logger } from '@portolan/plugin-api';

const ANONYMOUS_WARNING =
  'auth.mode is anonymous: every caller may read and change everything; use it for development and testing only';

const REACHABLE_WARNING =
  'auth.mode is anonymous and the server listens on an address that is not loopback: everyone who reaches it may publish, ' +
  'change and delete entries, sources and registries; set auth.mode to oauth, server.adminApi to false, or server.address to loopback';

/**
 * Logs that the server needs no credentials: as a warning on loopback, as an error when other machines reach
 * the server.
 */
export function warnOfOpenAccess(
  { provider }: KernelAuth,
  { adminApi }: Pick<ServerConfig, 'adminApi'>,
  listener: { readonly address: string; readonly isLoopback: boolean },
  logger: Logger,
): void {
  if (provider.kind.identifies || !adminApi) return;
  const { address } = listener;
  if (listener.isLoopback) logger.warn({ address }, ANONYMOUS_WARNING);
  else logger.error({ address }, REACHABLE_WARNING);
}
