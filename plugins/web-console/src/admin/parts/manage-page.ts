import type { PageResponse, PageRoute, Role } from '@portolan/plugin-api';
import { type ComponentChildren, h } from 'preact';
import type { ConsoleParts, PageContent, View } from '../../layout/view.ts';
import { page } from '../../layout/page.ts';
import { allowedRoles } from './allowed-roles.ts';
import { administrationLink, manageTabs } from './manage-links.ts';
import { notice } from './notice.ts';

export interface ManageView extends View {
  readonly roles: readonly Role[];
}

/** Returns a route whose page has the administration tabs and the notice of the previous action. */
export function managePage(
  parts: ConsoleParts,
  route: Omit<PageRoute, 'handle' | 'method'> & { readonly method?: PageRoute['method'] },
  make: (view: ManageView) => Promise<PageContent | PageResponse>,
): PageRoute {
  return page(parts, route, async (plain) => {
    const view = { ...plain, roles: await allowedRoles(plain) };
    const made = await make(view);
    if (!('title' in made)) return made;
    const trail = [...administrationLink(view.roles), ...(made.trail ?? [])];
    return { ...made, trail, body: framed(view, made.body) };
  });
}

function framed(view: ManageView, body: ComponentChildren): ComponentChildren {
  return h('div', { class: 'inner manage' }, manageTabs(view, view.roles), notice(view), body);
}

/** Returns the redirect after an action. `done` is the key of the notice on the next page. */
export function leadTo({ at }: Pick<View, 'at'>, path: string, done?: string): PageResponse {
  const [bare = '', search = ''] = path.split('?');
  const query = new URLSearchParams(search);
  if (done !== undefined) query.set('done', done);
  const text = query.toString();
  return { status: 303, headers: { Location: at(text === '' ? bare : `${bare}?${text}`) } };
}
