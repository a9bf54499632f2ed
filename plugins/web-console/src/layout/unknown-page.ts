import type { PageRoute } from '@portolan/plugin-api';
import { h } from 'preact';
import { registryPage, entryPage } from '../responses/entry-addresses.ts';
import type { ConsoleParts } from './view.ts';
import { page } from './page.ts';
import { nothing } from './parts-of-pages.ts';

/** Matches the address of a registry for MCP clients, or of an entry in it, which has no API route. */
const OF_CLIENTS = /^\/registry\/([^/]+)(?:\/v0(?:\.1)?(?:\/servers\/([^/]+))?)?\/?$/;

/**
 * Returns the page for unknown paths. Addresses for MCP clients redirect to the page of that registry or
 * entry, existing or not.
 */
export function unknownPage(parts: ConsoleParts): PageRoute {
  const route = {
    path: '/not-found',
    name: 'unknownPage',
    summary: 'Page for browsers at an unknown address.',
    isForUnknown: true,
  };
  return page(parts, route, async ({ at, request }) => {
    const shownAt = pageInstead(request.path);
    if (shownAt !== undefined) return { status: 303, headers: { Location: at(shownAt) } };
    const title = 'Nothing here';
    return {
      status: 404,
      title,
      trail: [{ path: '/', text: 'Registries' }],
      body: h(
        'div',
        { class: 'inner' },
        h('h1', null, title),
        nothing(
          'This server has nothing at this address.',
          h('p', null, h('a', { href: at('/') }, 'The registries that are open to you')),
          h(
            'p',
            { class: 'quiet' },
            'The addresses of the API stand in ',
            h('a', { href: at('/openapi.json') }, 'its description'),
            '.',
          ),
        ),
      ),
    };
  });
}

function pageInstead(path: string): string | undefined {
  const [, registry, server] = (OF_CLIENTS.exec(path) ?? []).map((part) => part && decodeURIComponent(part));
  if (registry === undefined) return undefined;
  return server === undefined
    ? registryPage(registry)
    : entryPage(registry, { type: 'server', name: server });
}
