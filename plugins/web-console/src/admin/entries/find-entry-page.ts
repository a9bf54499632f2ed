import { ENTRY_TYPES, type PageRoute } from '@portolan/plugin-api';
import { type ComponentChildren, h, type VNode } from 'preact';
import type { ConsoleParts } from '../../layout/view.ts';
import { choicesOf, NOT_CHOSEN, selectField, textField } from '../forms/fields.ts';
import { actions, submitButton } from '../forms/form.ts';
import { NO_PROBLEMS } from '../forms/problems.ts';
import { managedSources } from '../sources/visible-sources.ts';
import { leadTo, managePage, type ManageView } from '../parts/manage-page.ts';
import { refused } from '../parts/refused.ts';
import { sourcePath } from '../sources/source-paths.ts';
import { entryPath } from './entry-paths.ts';

const PATH = '/manage/entries';

export function findEntryPage(parts: ConsoleParts): PageRoute {
  return managePage(
    parts,
    { path: PATH, name: 'findEntryPage', summary: 'Finds an entry to change.' },
    async (view) => {
      const { query } = view.request;
      const type = ENTRY_TYPES.find((known) => known === query.get('type')) ?? 'server';
      const name = query.get('name')?.trim() ?? '';
      const source = query.get('source')?.trim() ?? '';
      if (name !== '') return leadTo(view, entryPath(type, name, source));
      // The API refuses this visitor in the same way, so show its refusal.
      if (!view.roles.includes('manageEntries'))
        return refused(view, await view.api({ path: '/v1/entries/server/-/claims' }));
      const field = { problems: NO_PROBLEMS };
      const managed = await managedSources(view);
      return {
        title: 'Entries',
        body: [
          h('h1', {}, 'Entries'),
          h(
            'p',
            {},
            'What people have published to this server, in its managed sources, is changed on the page of the entry: its status, and its claims, which say who may see it.',
          ),
          h(
            'form',
            { method: 'get', action: view.at(PATH), 'aria-label': 'Look for an entry' },
            selectField({ ...field, name: 'type', label: 'Type' }, type, choicesOf(ENTRY_TYPES)),
            textField(
              { ...field, name: 'name', label: 'Name', hint: 'Such as com.acme/notes.', required: true },
              '',
            ),
            sourceField(managed, source),
            actions(submitButton('Open')),
          ),
          listsOf(view, managed),
        ],
      };
    },
  );
}

/** Renders the source field: a choice if the managed sources are known, otherwise a text field. */
function sourceField(managed: readonly string[], source: string): VNode {
  const field = {
    name: 'source',
    label: 'Source',
    hint: 'Needed only if several managed sources have the entry.',
    problems: NO_PROBLEMS,
  };
  if (managed.length === 0) return textField(field, source);
  return selectField(field, source, [NOT_CHOSEN, ...choicesOf(managed)]);
}

/** Renders links to the entry lists of managed sources, for visitors who also manage sources. */
function listsOf({ at }: ManageView, managed: readonly string[]): ComponentChildren {
  if (managed.length === 0) return undefined;
  return [
    h('h2', {}, 'All entries'),
    h(
      'ul',
      {},
      managed.map((name) =>
        h('li', {}, h('a', { href: at(sourcePath(name, '/entries')) }, `Entries of ${name}`)),
      ),
    ),
  ];
}
