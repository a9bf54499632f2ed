import type { View, PageContent, ConsoleParts, NavigationItem } from './view.ts';
import type { PageResponse, PageRequest, PageRoute } from '@portolan/plugin-api';
import { Fragment, h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { document } from './document.ts';
import { nothing } from './parts-of-pages.ts';

/**
 * Returns a route whose page has the layout of the console. Sends a `PageResponse` from `make` unchanged.
 * Refuses POST requests that do not come from a page of this server (CSRF).
 */
export function page(
  parts: ConsoleParts,
  route: Omit<PageRoute, 'handle' | 'method'> & { readonly method?: PageRoute['method'] },
  make: (view: View) => Promise<PageContent | PageResponse>,
): PageRoute {
  return {
    method: 'GET',
    ...route,
    handle: async (request) => {
      const view = await viewOf(parts, request);
      await request.turn();
      const made =
        request.method === 'POST' && !view.visitor.isOwnPost ? foreignPost(view) : await make(view);
      return withCookies('title' in made ? await answerWith(view, made) : made, view.visitor.cookies);
    },
  };
}

function foreignPost({ at }: View): PageContent {
  const title = 'Nothing was done';
  return {
    status: 403,
    title,
    body: h(
      'div',
      { class: 'inner' },
      h('h1', null, title),
      nothing(
        'The form is too old, or comes from another site.',
        h('p', null, 'Go back, load the page again, and send it once more.'),
        h('p', null, h('a', { href: at('/') }, 'All registries that are open to you')),
      ),
    ),
  };
}

/** Adds the visitor's cookies to a response; a cookie of the page with the same name wins. */
function withCookies(response: PageResponse, cookies: readonly string[]): PageResponse {
  if (cookies.length === 0) return response;
  const own = response.headers?.['Set-Cookie'] ?? [];
  return { ...response, headers: { ...response.headers, 'Set-Cookie': [...cookies, ...[own].flat()] } };
}

async function viewOf(parts: ConsoleParts, request: PageRequest): Promise<View> {
  const visitor = await parts.visitor(request);
  return {
    parts,
    request,
    visitor,
    api: async (apiRequest) => {
      // Yields before each request, also before parallel ones.
      await request.turn();
      const response = await parts.requests.run(() => request.api(apiRequest, visitor.authorization));
      // Yields again, so that a page does not block API requests until it is done.
      await request.turn();
      return response;
    },
    at: (path) => `${request.prefix}${path}`,
  };
}

export async function answerWith(
  view: View,
  { status = 200, headers = {}, ...content }: PageContent,
): Promise<PageResponse> {
  const navigation: readonly NavigationItem[] = (
    await Promise.all(view.parts.navigation.map((items) => items(view)))
  ).flat();
  const { turn } = view.request;
  await turn();
  const body = renderToString(h(Fragment, null, content.body));
  await turn();
  const whole = Buffer.from(document(view, { ...content, body }, navigation));
  await turn();
  return { status, headers, body: whole };
}
