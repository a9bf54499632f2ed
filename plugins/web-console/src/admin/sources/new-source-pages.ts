import type { PageRoute } from '@portolan/plugin-api';
import { type ComponentChildren, h } from 'preact';
import type { ConsoleParts, PageContent, View } from '../../layout/view.ts';
import { NO_PROBLEMS, type Problems, problemsOf } from '../forms/problems.ts';
import { addressable, formOf } from '../forms/read-form.ts';
import { said, type SourceKindResponse } from '../parts/api-responses.ts';
import { leadTo, type ManageView, managePage } from '../parts/manage-page.ts';
import { refused } from '../parts/refused.ts';
import {
  NOTHING_TYPED,
  readSource,
  sourceForm,
  sourcePlaces,
  type SourceTyped,
  typedOfForm,
} from './source-form.ts';
import { ALL_SOURCES, sourceInApi, sourcePath } from './source-paths.ts';

const PATH = '/manage/new-source';

/** Returns the available source kinds, or the API's refusal as a page. */
export async function readKinds(
  view: Pick<View, 'api' | 'at' | 'visitor' | 'request'>,
): Promise<readonly SourceKindResponse[] | PageContent> {
  const response = await view.api({ path: '/v1/source-kinds' });
  return response.status === 200
    ? said<{ readonly kinds: readonly SourceKindResponse[] }>(response).kinds
    : refused(view, response);
}

/** Returns the pages that create a source: the user chooses a kind, then fills in its settings. */
export function newSourcePages(parts: ConsoleParts): readonly PageRoute[] {
  const shown = { path: PATH, name: 'newSourcePage', summary: 'A form for a new source.' };
  const sent = { method: 'POST', path: PATH, name: 'newSourceForm', summary: 'Makes a source.' } as const;
  return [managePage(parts, shown, showForm), managePage(parts, sent, takeForm)];
}

async function showForm(view: ManageView): Promise<PageContent> {
  const kinds = await readKinds(view);
  if ('title' in kinds) return kinds;
  const kind = kinds.find((one) => one.kind === view.request.query.get('kind') && one.viaApi);
  return kind === undefined ? kindPage(view, kinds) : await formPage(view, kind, NOTHING_TYPED, NO_PROBLEMS);
}

async function takeForm(view: ManageView) {
  const form = formOf(view);
  const kinds = await readKinds(view);
  if ('title' in kinds) return kinds;
  const kind = kinds.find((one) => one.kind === form.get('kind'));
  if (kind === undefined) return kindPage(view, kinds);
  const typed = typedOfForm(form, kind);
  if (form.get('action') === 'rows') return await formPage(view, kind, typed, NO_PROBLEMS);
  const { body, problems } = readSource(form, kind);
  const name = typed.name.trim();
  const unnamed = name === '' ? UNNAMED : NO_PROBLEMS;
  if (problems.size > 0) return await formPage(view, kind, typed, new Map([...problems, ...unnamed]), 400);
  const path = sourceInApi(addressable(name));
  // `If-None-Match` prevents an overwrite of an existing source.
  const response = await view.api({ method: 'PUT', path, body, headers: { 'If-None-Match': '*' } });
  if (response.status === 201) return leadTo(view, sourcePath(name), 'source-made');
  const match = problemsOf(response, sourcePlaces(kind, true));
  return await formPage(view, kind, typed, new Map([...match, ...unnamed]), response.status);
}

const UNNAMED: Problems = new Map([['name', ['The source needs a name.']]]);

function kindPage(view: View, kinds: readonly SourceKindResponse[]): PageContent {
  const choice = ({ kind, schema }: SourceKindResponse): ComponentChildren =>
    h(
      'li',
      { class: 'card' },
      h(
        'h2',
        {},
        h(
          'a',
          { class: 'stretched', href: view.at(`${PATH}?kind=${encodeURIComponent(kind)}`) },
          schema.title ?? kind,
        ),
      ),
      schema.description === undefined ? undefined : h('p', {}, schema.description),
    );
  return {
    title: 'New source',
    trail: [ALL_SOURCES],
    body: [
      h('h1', {}, 'New source'),
      h('p', {}, 'What are its entries read from?'),
      h('ul', { class: 'choices' }, kinds.filter(({ viaApi }) => viaApi).map(choice)),
    ],
  };
}

async function formPage(
  view: ManageView,
  kind: SourceKindResponse,
  typed: SourceTyped,
  problems: Problems,
  status = 200,
): Promise<PageContent> {
  return {
    status,
    title: kind.schema.title ?? kind.kind,
    trail: [ALL_SOURCES, { path: PATH, text: 'New source' }],
    body: [
      h('h1', {}, `New source: ${kind.schema.title ?? kind.kind}`),
      await sourceForm(view, { path: PATH, kind, typed, problems }),
    ],
  };
}
