import type { PageRoute } from '@portolan/plugin-api';
import { showPage } from '../actions/show-page.ts';
import { pageTaken } from './route-errors.ts';
import type { AskApi } from '../listen/ask-api.ts';
import type { PageTurns } from '../request/page-turns.ts';
import type { Route } from '../request/route.ts';
import { readForm } from '../steps/body/read-form.ts';
import { NOTHING, type RouteParts } from './route-parts.ts';

const SHARED = '/';

/**
 * Returns the routes of pages. Those with more parameters come first, because the router takes the last
 * match. They need no token: pages call the API on behalf of the logged-in user. Throws
 * ERR_PLUGIN_KIND_CLASH.
 */
export function pageRoutes(
  pages: readonly PageRoute[],
  routes: readonly Route[],
  { config, maxBodyBytes }: Pick<RouteParts, 'config' | 'maxBodyBytes'>,
  askApi: AskApi,
  turns: PageTurns,
): readonly Route[] {
  const taken = new Map(
    routes.flatMap(({ path, aliases = [], name }) =>
      [path, ...aliases].flatMap((one): [string, string][] =>
        one === SHARED
          ? []
          : [
              [`GET ${shapeOf(one)}`, name],
              [`POST ${shapeOf(one)}`, name],
            ],
      ),
    ),
  );
  const names = new Set(routes.map(({ name }) => name));
  const made = pages.map((page): Route => {
    const place = `${page.method} ${shapeOf(page.path)}`;
    const other = names.has(page.name) ? page.name : taken.get(place);
    if (other !== undefined) throw pageTaken(page, other);
    taken.set(place, page.name);
    names.add(page.name);
    return {
      method: page.method,
      path: page.path,
      name: page.name,
      summary: page.summary,
      tag: 'operation',
      event: 'operation',
      open: true,
      pathParameters: NOTHING,
      query: NOTHING,
      response: { description: page.summary, contentType: 'text/html' },
      refusals: [],
      steps: [
        ...(page.method === 'POST' ? [readForm(maxBodyBytes)] : []),
        showPage(page, askApi, config.publicUrl, turns),
      ],
    };
  });
  return made.toSorted((left, right) => parametersOf(right) - parametersOf(left));
}

function parametersOf({ path }: Route): number {
  return path.split('{').length - 1;
}

/** Returns a text that is equal for paths which a request cannot distinguish. */
function shapeOf(path: string): string {
  return path.replace(/\{\w+\}/g, '{}');
}
