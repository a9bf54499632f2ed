import type { OpenPages } from '@portolan/plugin-api';
import { adminNavigation } from './admin/admin-navigation.ts';
import { adminPages } from './admin/admin-pages.ts';
import { OpenRequests } from './responses/open-requests.ts';
import { consumerPages } from './consumer/consumer-pages.ts';
import { openConsoleAssets } from './layout/console-assets.ts';
import type { ConsoleParts } from './layout/view.ts';
import { unknownPage } from './layout/unknown-page.ts';
import { loginPages } from './login/login-pages.ts';
import { visitor } from './login/visitor.ts';

export async function openConsole(
  input: Omit<ConsoleParts, 'assets' | 'requests' | 'navigation' | 'visitor'>,
): Promise<OpenPages> {
  const assets = await openConsoleAssets();
  const {
    hostContext: context,
    context: { clock, logger },
  } = input;
  const parts: ConsoleParts = {
    ...input,
    assets,
    requests: new OpenRequests(),
    navigation: context.adminApi ? [adminNavigation] : [],
    visitor: (request) => visitor(request, { context, clock, logger }),
  };
  return {
    close: () => parts.requests.close(),
    routes: [
      ...Object.values(assets).map(({ route }) => route),
      ...consumerPages(parts),
      ...loginPages(parts),
      ...(context.adminApi ? adminPages(parts) : []),
      unknownPage(parts),
    ],
  };
}
