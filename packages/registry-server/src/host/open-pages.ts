import type { Kernel } from '@portolan/kernel';
import type { PageRoute, UndoStack } from '@portolan/plugin-api';
import type { VersionInfo } from '../request/version-info.ts';

/** Opens the pages of a configuration, in its order; `opened` closes them. */
export async function openPages(
  { pages, config }: Pick<Kernel, 'pages' | 'config'>,
  { version }: VersionInfo,
  opened: UndoStack,
): Promise<readonly PageRoute[]> {
  const routes: PageRoute[] = [];
  const publicUrl = config.server.publicUrl?.replace(/\/+$/, '');
  for (const { kind, instance } of pages) {
    const open = await instance.open({ version, publicUrl });
    opened.push(`the pages "${kind.kind}"`, () => open.close?.());
    routes.push(...open.routes);
  }
  return routes;
}
