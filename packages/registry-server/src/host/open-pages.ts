import type { Kernel } from '@portolan/kernel';
import type { PageRoute, PagesContext, UndoStack } from '@portolan/plugin-api';
import type { Store } from '@portolan/registry';
import type { VersionInfo } from '../request/version-info.ts';
import { openSessions } from './sessions/open-sessions.ts';

/** Opens the configured pages, in order. Adds a function that closes each page to `opened`. */
export async function openPages(
  kernel: Kernel,
  store: Store,
  {
    version: { version },
    describeDemands,
  }: { readonly version: VersionInfo } & Pick<PagesContext, 'describeDemands'>,
  opened: UndoStack,
): Promise<readonly PageRoute[]> {
  const { pages, config } = kernel;
  if (pages.length === 0) return [];
  const routes: PageRoute[] = [];
  const sessions = await openSessions(kernel, store);
  opened.push('sessions of browsers', () => sessions?.close());
  // Looked up for each call, because a reload may replace `auth`.
  const logins = () => kernel.authProvider.instance.logins?.() ?? [];
  const { adminApi } = config.server;
  const publicUrl = config.server.publicUrl?.replace(/\/+$/, '');
  for (const { kind, instance } of pages) {
    const open = await instance.open({ version, publicUrl, adminApi, logins, sessions, describeDemands });
    opened.push(`the pages "${kind.kind}"`, () => open.close?.());
    routes.push(...open.routes);
  }
  return routes;
}
