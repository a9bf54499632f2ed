import type { PageRoute } from '@portolan/plugin-api';
import { type ComponentChildren, h } from 'preact';
import type { ConsoleParts } from '../../layout/view.ts';
import { isOpenToAll } from '../parts/allowed-roles.ts';
import { type RegistryResponse, said } from '../parts/api-responses.ts';
import { managePage, type ManageView } from '../parts/manage-page.ts';
import { refused } from '../parts/refused.ts';
import { claimsText, explained, facts, madeBy, table, timeText } from '../parts/show.ts';
import { sourcePath } from '../sources/source-paths.ts';
import { ALL_REGISTRIES, registryInApi, registryPath } from './registry-paths.ts';

export function listRegistriesPage(parts: ConsoleParts): PageRoute {
  const route = {
    path: '/manage/registries',
    name: 'listRegistriesPage',
    summary: 'The registries and their definitions.',
  };
  return managePage(parts, route, async (view) => {
    const response = await view.api({ path: '/v1/registries' });
    if (response.status !== 200) return refused(view, response);
    const { registries } = said<{ readonly registries: readonly RegistryResponse[] }>(response);
    const isOpen = await isOpenToAll(view);
    const rows = registries.map(({ name, sources, claims, public: isPublic, creationType }) => [
      h('a', { href: view.at(registryPath(name)) }, name),
      sources.join(', '),
      claimsText(claims),
      isOpen ? 'everybody' : isPublic === true ? 'also without a token' : 'with a token',
      creationType === 'CONFIG' ? 'configuration' : 'API',
    ]);
    return {
      title: 'Registries',
      body: [
        h(
          'div',
          { class: 'title-row' },
          h('h1', {}, 'Registries'),
          h('a', { class: 'button', href: view.at('/manage/new-registry') }, 'New registry'),
        ),
        rows.length === 0
          ? h('p', {}, 'There is no registry that you may see.')
          : [
              table('Registries', ['Name', 'Sources', 'Claims', 'Who reads it', 'Made by'], rows),
              await explained(view, { what: 'registry' }),
            ],
      ],
    };
  });
}

export function registryPage(parts: ConsoleParts): PageRoute {
  const route = {
    path: '/manage/registries/{registryName}',
    name: 'registryDefinitionPage',
    summary: 'One registry and its definition.',
  };
  return managePage(parts, route, async (view) => {
    const { registryName = '' } = view.request.parameters;
    const response = await view.api({ path: registryInApi(registryName) });
    if (response.status !== 200) return refused(view, response);
    const { name, sources, claims, creationType, publicClaims, updatedAt } = said<RegistryResponse>(response);
    const link = (page: Parameters<typeof registryPath>[1], text: string, look = 'quiet') =>
      h('a', { class: `button ${look}`, href: view.at(registryPath(name, page)) }, text);
    return {
      title: `Registry ${name}`,
      trail: [ALL_REGISTRIES],
      body: [
        h('h1', {}, name),
        h(
          'div',
          { class: 'actions' },
          link('/entries', 'Entries'),
          creationType === 'CONFIG'
            ? undefined
            : [link('/edit', 'Change'), link('/remove', 'Remove', 'danger')],
        ),
        facts([
          [
            'Sources, in order',
            h(
              'ol',
              {},
              sources.map((source) => h('li', {}, sourceName(view, source))),
            ),
          ],
          ['Claims', claimsText(claims)],
          ['Without a token', withoutToken(await isOpenToAll(view), publicClaims)],
          ['Made', madeBy({ creationType })],
          ['Changed', timeText(updatedAt, parts.context.clock())],
        ]),
        await explained(view, { what: 'registry' }),
      ],
    };
  });
}

/** Renders a source name, as a link for visitors who manage sources. */
function sourceName({ at, roles }: ManageView, name: string): ComponentChildren {
  return roles.includes('manageSources') ? h('a', { href: at(sourcePath(name)) }, name) : name;
}

function withoutToken(isOpen: boolean, publicClaims: RegistryResponse['publicClaims']): ComponentChildren {
  if (isOpen) return 'readable: this server has no authentication';
  return publicClaims === undefined
    ? 'not readable'
    : ['readable, as if they held ', claimsText(publicClaims)];
}
