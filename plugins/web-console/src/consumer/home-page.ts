import type { PageRoute } from '@portolan/plugin-api';
import { h } from 'preact';
import { readRegistries } from '../answers/read-registries.ts';
import type { ConsoleParts } from '../layout/console-parts.ts';
import { page } from '../layout/page.ts';

/** Where people begin: the registries that they may read. */
export function homePage(parts: ConsoleParts): PageRoute {
  const route = { path: '/', name: 'homePage', summary: 'The registries that the visitor may read.' };
  return page(parts, route, async (view) => {
    const registries = await readRegistries(view);
    return {
      title: parts.config.title,
      body: [
        h('h1', {}, 'Registries'),
        registries.length === 0
          ? h('p', {}, 'No registry is open to you.')
          : h(
              'ul',
              {},
              registries.map(({ name, url }) => h('li', {}, h('a', { href: url }, name))),
            ),
      ],
    };
  });
}
