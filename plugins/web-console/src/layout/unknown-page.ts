import type { PageRoute } from '@portolan/plugin-api';
import { h } from 'preact';
import type { ConsoleParts } from './console-parts.ts';
import { page } from './page.ts';
import { nothing } from './parts-of-pages.ts';

/** What people are shown at an address that nothing has. */
export function unknownPage(parts: ConsoleParts): PageRoute {
  const route = {
    path: '/not-found',
    name: 'unknownPage',
    summary: 'What browsers are shown at an address that nothing has.',
    isForUnknown: true,
  };
  return page(parts, route, async ({ at }) => {
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
