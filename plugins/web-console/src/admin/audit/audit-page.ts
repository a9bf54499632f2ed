import type { PageRoute } from '@portolan/plugin-api';
import { type ComponentChildren, type VNode, h } from 'preact';
import type { ConsoleParts } from '../../layout/view.ts';
import { selectField, textField } from '../forms/fields.ts';
import { actions, submitButton } from '../forms/form.ts';
import { NO_PROBLEMS } from '../forms/problems.ts';
import { said } from '../parts/api-responses.ts';
import { managePage, type ManageView } from '../parts/manage-page.ts';
import { refused } from '../parts/refused.ts';
import { badge, breakable } from '../../layout/parts-of-pages.ts';
import { clockTime, table, timeText } from '../parts/show.ts';

const PATH = '/manage/audit';
const FILTERS = ['type', 'outcome', 'subject', 'path', 'requestId'] as const;
const OUTCOMES = ['success', 'denied', 'failure', 'error'] as const;

/** Response of `GET /v1/audit/events`, as `/openapi.json` describes it. */
interface Events {
  readonly events: readonly {
    readonly id: number;
    readonly at: string;
    readonly type: string;
    readonly outcome: (typeof OUTCOMES)[number];
    readonly method: string;
    readonly path: string;
    readonly status: number;
    readonly because: string;
    readonly subject?: string;
    readonly user?: string;
    readonly remoteAddress: string;
    readonly requestId: string;
    readonly durationMs: number;
  }[];
  readonly metadata: {
    readonly replica: string;
    readonly since: string;
    readonly most: number;
    readonly kept: number;
    readonly forgotten: number;
    readonly nextBefore?: number;
  };
}

/** Returns the page that shows a superAdmin the latest requests to this replica of the server. */
export function auditPage(parts: ConsoleParts): PageRoute {
  return managePage(
    parts,
    { path: PATH, name: 'auditPage', summary: 'The last requests to this replica.' },
    async (view) => {
      const request = queryOf(view.request.query);
      const response = await view.api({ path: '/v1/audit/events', query: request });
      if (response.status !== 200) return refused(view, response);
      const { events, metadata } = said<Events>(response);
      const now = parts.context.clock();
      const rows = events.map((event) => [
        clockTime(event.at, now),
        badge(
          event.outcome,
          event.outcome === 'success' ? 'good' : event.outcome === 'failure' ? 'warn' : 'bad',
        ),
        breakable(event.type),
        twoLines(event.user ?? event.subject ?? 'anonymous', event.remoteAddress),
        twoLines(h('code', {}, `${event.method} `, breakable(event.path)), h('code', {}, event.requestId)),
        twoLines(`${event.status} ${event.because}`, `${Math.round(event.durationMs)} ms`),
      ]);
      const head = ['When', 'Outcome', 'Event', 'Who, from where', 'Request, its id', 'Answer'];
      return {
        title: 'Last requests',
        body: [
          h('h1', {}, 'Last requests'),
          h('p', { class: 'label-of-memory' }, labelOf(metadata, now)),
          filterForm(view),
          rows.length === 0
            ? h('p', {}, 'There is no such request in memory.')
            : table('Last requests', head, rows),
          moreLink(view, request, metadata.nextBefore),
        ],
      };
    },
  );
}

/** Renders a cell with details in a second line, so that a whole request fits the screen width. */
function twoLines(first: ComponentChildren, second: ComponentChildren): VNode {
  return h('div', {}, first, h('div', { class: 'second' }, second));
}

function queryOf(query: URLSearchParams): Readonly<Record<string, string>> {
  const inputs = [...FILTERS, 'before'].flatMap((name): [string, string][] => {
    const text = query.get(name)?.trim() ?? '';
    return text === '' ? [] : [[name, text]];
  });
  return { limit: '50', ...Object.fromEntries(inputs) };
}

function labelOf(
  { replica, since, most, kept, forgotten }: Events['metadata'],
  now: Date,
): ComponentChildren {
  return [
    h('strong', {}, 'From the memory of this replica alone'),
    ` (${replica}, started `,
    timeText(since, now),
    `): the last ${most.toLocaleString('en')} requests at most, ${kept.toLocaleString('en')} now${forgotten === 0 ? '' : `, and ${forgotten.toLocaleString('en')} older ones are forgotten`}. `,
    'A page of this console is several requests with one id. Other replicas have their own, and a restart forgets all of them; an audit log, if one is configured, has them all.',
  ];
}

function filterForm(view: ManageView): VNode {
  const value = (name: string) => view.request.query.get(name) ?? '';
  const field = { problems: NO_PROBLEMS };
  return h(
    'form',
    { method: 'get', action: view.at(PATH), class: 'narrow', 'aria-label': 'Filter the list' },
    textField({ ...field, name: 'type', label: 'Event' }, value('type'), { placeholder: 'entry.publish' }),
    selectField({ ...field, name: 'outcome', label: 'Outcome' }, value('outcome'), [
      { value: '', text: 'all' },
      ...OUTCOMES.map((one) => ({ value: one, text: one })),
    ]),
    textField({ ...field, name: 'subject', label: 'Who' }, value('subject')),
    textField({ ...field, name: 'path', label: 'Part of the path' }, value('path')),
    textField({ ...field, name: 'requestId', label: 'Id of a request' }, value('requestId')),
    actions(submitButton('Filter')),
  );
}

function moreLink(
  { at }: ManageView,
  request: Readonly<Record<string, string>>,
  before: number | undefined,
): ComponentChildren {
  if (before === undefined) return undefined;
  const { limit: _, ...filters } = request;
  const query = new URLSearchParams({ ...filters, before: String(before) });
  return h('p', {}, h('a', { class: 'button quiet', href: at(`${PATH}?${query.toString()}`) }, 'Older'));
}
