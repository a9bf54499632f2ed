import { h, type VNode } from 'preact';
import { shortened } from '../responses/json-value.ts';
import type { ShownEntry } from './shown-entry.ts';
import { section } from '../layout/parts-of-pages.ts';
import { permissionsOf } from './describe-permissions.ts';

/** Renders the permissions of a server; null for remotes, and for entries that are not servers. */
export function permissionsSection({ entry }: ShownEntry): VNode | null {
  const runsHere = entry.type === 'server' && entry.ways.some((way) => way !== 'remote');
  const permissions = permissionsOf(entry.extension);
  if (!runsHere && permissions === undefined) return null;
  return section(
    'permissions',
    'Permissions',
    permissions === undefined
      ? h(
          'p',
          null,
          'Its publisher names none. ',
          h('code', null, 'portolan run'),
          ' then lets it connect to any host and gives it no files of the machine; ',
          h('code', null, '--permission-profile none'),
          ' keeps it from the network as well.',
        )
      : h(
          'ul',
          { class: 'permissions' },
          permissions.map(({ text, items, isWide }) =>
            h(
              'li',
              isWide ? { class: 'wide' } : null,
              text,
              items.length === 0
                ? null
                : h(
                    'ul',
                    null,
                    items
                      .slice(0, 50)
                      .map((item) => h('li', null, h('code', { dir: 'ltr' }, shortened(item, 300)))),
                  ),
            ),
          ),
        ),
  );
}
