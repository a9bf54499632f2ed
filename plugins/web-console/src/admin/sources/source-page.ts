import type { PageRoute } from '@portolan/plugin-api';
import { type ComponentChildren, h } from 'preact';
import type { ConsoleParts, View } from '../../layout/view.ts';
import { checkBox } from '../forms/fields.ts';
import { postForm, submitButton } from '../forms/form.ts';
import { NO_PROBLEMS } from '../forms/problems.ts';
import { said, type SourceResponse } from '../parts/api-responses.ts';
import { managePage } from '../parts/manage-page.ts';
import { refused } from '../parts/refused.ts';
import { claimsText, explained, facts, madeBy, timeText } from '../parts/show.ts';
import { ALL_SOURCES, sourceInApi, sourcePath } from './source-paths.ts';
import { statusDetails } from './source-status.ts';

export function sourcePage(parts: ConsoleParts): PageRoute {
  const route = {
    path: '/manage/sources/{sourceName}',
    name: 'sourcePage',
    summary: 'One source and its sync status.',
  };
  return managePage(parts, route, async (view) => {
    const { sourceName = '' } = view.request.parameters;
    const response = await view.api({ path: sourceInApi(sourceName) });
    if (response.status !== 200) return refused(view, response);
    const source = said<SourceResponse>(response);
    const now = parts.context.clock();
    return {
      title: `Source ${source.name}`,
      trail: [ALL_SOURCES],
      body: [
        h('h1', {}, source.name),
        buttons(view, source),
        source.syncStatus === undefined ? undefined : statusDetails(source.syncStatus, now),
        h('h2', {}, 'Definition'),
        facts([
          ['Kind', source.type],
          ['Made', madeBy(source)],
          ['Time between two syncs', source.syncSchedule?.replace(/(?<=[hm])0[ms]/g, '')],
          ['Claims', claimsText(source.claims)],
          ['Settings', jsonBlock(source.sourceConfig)],
          ['Filter', source.filterConfig === undefined ? undefined : jsonBlock(source.filterConfig)],
          ['Changed', timeText(source.updatedAt, now)],
        ]),
        await explained(view, {
          what: source.type === 'managed' ? 'sourceAlone' : 'source',
          withManaged: source.type === 'managed',
        }),
      ],
    };
  });
}

function buttons(view: View, { name, type, creationType }: SourceResponse): ComponentChildren {
  const link = (page: Parameters<typeof sourcePath>[1], text: string, look = 'quiet') =>
    h('a', { class: `button ${look}`, href: view.at(sourcePath(name, page)) }, text);
  return h(
    'div',
    { class: 'actions' },
    type === 'managed'
      ? undefined
      : postForm(
          view,
          { path: sourcePath(name, '/sync'), label: 'Sync' },
          submitButton('Sync now'),
          checkBox(
            { name: 'full', label: 'in full, also what has not changed', problems: NO_PROBLEMS },
            false,
          ),
        ),
    link('/entries', 'Entries'),
    creationType === 'CONFIG' ? undefined : [link('/edit', 'Change'), link('/remove', 'Remove', 'danger')],
  );
}

/** Renders formatted JSON, or a note if it is empty. */
function jsonBlock(value: object): ComponentChildren {
  if (Object.keys(value).length === 0) return h('span', { class: 'quiet' }, 'none');
  return h('pre', { class: 'json', tabindex: 0 }, JSON.stringify(value, null, 2));
}
