import type { PageResponse, PageRoute, Role } from '@portolan/plugin-api';
import { type ComponentChildren, h, type VNode } from 'preact';
import type { ConsoleParts, PageContent, View } from '../../layout/view.ts';
import { page } from '../../layout/page.ts';
import { allowedRoles } from './allowed-roles.ts';
import { administrationLink, manageTabs } from './manage-links.ts';

/**
 * Notices about completed actions. The page shows only these texts, so a crafted URL cannot inject another
 * text.
 */
const NOTICES: Readonly<Record<string, string>> = {
  'source-made': 'The source is made. Its first sync has begun.',
  'source-changed': 'The source is changed.',
  'source-removed': 'The source is removed, with its entries.',
  'sync-due': 'The source is read as soon as can be. Load this page again to see how it went.',
  'registry-made': 'The registry is made.',
  'registry-changed': 'The registry is changed.',
  'registry-removed': 'The registry is removed. Its sources and their entries are still there.',
  published: 'The version is published.',
  'status-changed': 'The status is changed.',
  'claims-changed': 'The claims are changed, for all versions.',
  'version-removed': 'The version is removed for good.',
};

function notice({ request }: Pick<View, 'request'>): VNode | undefined {
  const done = request.query.get('done') ?? '';
  const text = Object.hasOwn(NOTICES, done) ? NOTICES[done] : undefined;
  return text === undefined ? undefined : h('p', { class: 'note', role: 'status' }, text);
}

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
