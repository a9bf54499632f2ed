import type { Role } from '@portolan/plugin-api';
import { h, type VNode } from 'preact';
import type { NavigationItem, View } from '../../layout/view.ts';

/**
 * Links to the pages of administration, each with the role that it requires. A link without a role requires
 * any role.
 */
const LINKS: readonly (NavigationItem & { readonly role?: Role })[] = [
  { path: '/manage/sources', text: 'Sources', role: 'manageSources' },
  { path: '/manage/registries', text: 'Registries', role: 'manageRegistries' },
  { path: '/manage/publish', text: 'Publish', role: 'manageEntries' },
  { path: '/manage/entries', text: 'Entries', role: 'manageEntries' },
  { path: '/manage/explain', text: 'Explain access' },
  { path: '/manage/audit', text: 'Last requests', role: 'superAdmin' },
];

function manageLinks(roles: readonly Role[]): readonly NavigationItem[] {
  return roles.length === 0 ? [] : LINKS.filter(({ role }) => role === undefined || roles.includes(role));
}

export function administrationLink(roles: readonly Role[]): readonly NavigationItem[] {
  return manageLinks(roles)
    .slice(0, 1)
    .map(({ path }) => ({ path, text: 'Administration' }));
}

export function manageTabs({ at, request }: View, roles: readonly Role[]): VNode | undefined {
  const links = manageLinks(roles);
  if (links.length === 0) return undefined;
  return h(
    'nav',
    { class: 'tabs', 'aria-label': 'Administration' },
    links.map(({ path, text }) =>
      h('a', { href: at(path), 'aria-current': isWithin(request.path, path) ? 'page' : undefined }, text),
    ),
  );
}

/** Returns the role that an administration page requires; undefined if any role suffices. */
export function roleOf(here: string): Role | undefined {
  return LINKS.find(({ path }) => isWithin(here, path))?.role;
}

/**
 * Returns whether a page belongs to the section of a link, as `/manage/new-source` belongs to
 * `/manage/sources`.
 */
function isWithin(here: string, path: string): boolean {
  const plain = here
    .replace(/^\/manage\/new-source$/, '/manage/sources')
    .replace(/^\/manage\/new-registry$/, '/manage/registries');
  return plain === path || plain.startsWith(`${path}/`);
}
