import { type ComponentChildren, h } from 'preact';
import { type RegistryResponse, said } from '../parts/api-responses.ts';
import type { ManageView } from '../parts/manage-page.ts';
import { registryPath } from '../registries/registry-paths.ts';

/** Renders the registries that use a source, which prevent its removal. */
export async function usedBy({ api, at, roles }: ManageView, source: string): Promise<ComponentChildren> {
  if (!roles.includes('manageRegistries')) return undefined;
  const { registries = [] } = said<{ readonly registries?: readonly RegistryResponse[] }>(
    await api({ path: '/v1/registries' }),
  );
  const using = registries.filter(({ sources }) => sources.includes(source));
  if (using.length === 0) return undefined;
  return h(
    'div',
    { class: 'note warn' },
    h('p', {}, 'It cannot be removed while a registry names it. Take it out there first:'),
    h(
      'ul',
      {},
      using.map(({ name }) => h('li', {}, h('a', { href: at(registryPath(name)) }, name))),
    ),
  );
}
