import type { PageRoute } from '@portolan/plugin-api';
import { h } from 'preact';
import type { ConsoleParts } from '../../layout/view.ts';
import { said, type SourceResponse } from '../parts/api-responses.ts';
import { managePage } from '../parts/manage-page.ts';
import { refused } from '../parts/refused.ts';
import { claimsText, explained, table, timeText } from '../parts/show.ts';
import { sourcePath } from './source-paths.ts';
import { countsText, phaseBadge } from './source-status.ts';

export function listSourcesPage(parts: ConsoleParts): PageRoute {
  const route = {
    path: '/manage/sources',
    name: 'listSourcesPage',
    summary: 'The sources and their sync status.',
  };
  return managePage(parts, route, async (view) => {
    const response = await view.api({ path: '/v1/sources' });
    if (response.status !== 200) return refused(view, response);
    const { sources } = said<{ readonly sources: readonly SourceResponse[] }>(response);
    const now = parts.context.clock();
    const rows = sources.map(({ name, type, syncStatus: status, claims }) => [
      h('a', { href: view.at(sourcePath(name)) }, name),
      type,
      type === 'managed' ? '' : phaseBadge(status),
      status === undefined ? '' : countsText(status),
      status === undefined || type === 'managed' ? '' : String(status.skippedCount ?? 0),
      status === undefined || type === 'managed' ? '' : String(status.warningCount ?? 0),
      status === undefined || type === 'managed' ? '' : timeText(status.lastGoodTime, now),
      claimsText(claims),
    ]);
    const hasManaged = sources.some(({ type }) => type === 'managed');
    const head = ['Name', 'Kind', 'Status', 'Entries', 'Left out', 'Warnings', 'Last good sync', 'Claims'];
    return {
      title: 'Sources',
      body: [
        h(
          'div',
          { class: 'title-row' },
          h('h1', {}, 'Sources'),
          h('a', { class: 'button', href: view.at('/manage/new-source') }, 'New source'),
        ),
        rows.length === 0
          ? h('p', {}, 'There is no source that you may see.')
          : [
              table('Sources', head, rows),
              await explained(view, { what: 'source', withManaged: hasManaged }),
            ],
      ],
    };
  });
}
