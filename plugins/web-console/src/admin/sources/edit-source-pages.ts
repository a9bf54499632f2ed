import type { PageResponse, PageRoute } from '@portolan/plugin-api';
import { h } from 'preact';
import type { ConsoleParts, PageContent } from '../../layout/view.ts';
import { NO_PROBLEMS, type Problems, problemsOf } from '../forms/problems.ts';
import { formOf, revisionOf } from '../forms/read-form.ts';
import { said, type SourceResponse, type SourceKindResponse } from '../parts/api-responses.ts';
import { leadTo, type ManageView, managePage } from '../parts/manage-page.ts';
import { refused } from '../parts/refused.ts';
import { readKinds } from './new-source-pages.ts';
import {
  readSource,
  sourceForm,
  sourcePlaces,
  type SourceTyped,
  typedOfForm,
  typedOfSource,
} from './source-form.ts';
import { ALL_SOURCES, sourceInApi, sourcePath } from './source-paths.ts';

export function editSourcePages(parts: ConsoleParts): readonly PageRoute[] {
  const path = '/manage/sources/{sourceName}/edit';
  return [
    managePage(parts, { path, name: 'editSourcePage', summary: 'A form for a source.' }, showForm),
    managePage(
      parts,
      { method: 'POST', path, name: 'editSourceForm', summary: 'Changes a source.' },
      takeForm,
    ),
  ];
}

interface EditedSource {
  readonly source: SourceResponse;
  readonly kind: SourceKindResponse;
  readonly revision: string;
}

async function find(view: ManageView): Promise<EditedSource | PageContent> {
  const { sourceName = '' } = view.request.parameters;
  const response = await view.api({ path: sourceInApi(sourceName) });
  if (response.status !== 200) return refused(view, response);
  const source = said<SourceResponse>(response);
  const kinds = await readKinds(view);
  if ('title' in kinds) return kinds;
  const kind = kinds.find((one) => one.kind === source.type);
  if (kind === undefined)
    return refused(view, {
      status: 404,
      headers: {},
      json: { error: `This server does not know the kind ${source.type}.` },
    });
  return { source, kind, revision: response.headers['etag'] ?? '' };
}

async function showForm(view: ManageView): Promise<PageContent> {
  const match = await find(view);
  if ('title' in match) return match;
  return await formPage(view, match, typedOfSource(match.source, match.kind), NO_PROBLEMS);
}

async function takeForm(view: ManageView): Promise<PageContent | PageResponse> {
  const form = formOf(view);
  const found = await find(view);
  if ('title' in found) return found;
  const { source, kind } = found;
  // Keeps the revision of the first view, because the user edited that state.
  const shown = { ...found, revision: form.get('revision') ?? '' };
  const typed = { ...typedOfForm(form, kind), name: source.name };
  if (form.get('action') === 'rows') return await formPage(view, shown, typed, NO_PROBLEMS);
  const { body, problems } = readSource(form, kind);
  if (problems.size > 0) return await formPage(view, shown, typed, problems, 400);
  const headers = revisionOf(form);
  const response = await view.api({ method: 'PUT', path: sourceInApi(source.name), body, headers });
  if (response.status === 200) return leadTo(view, sourcePath(source.name), 'source-changed');
  if (response.status !== 412)
    return await formPage(
      view,
      shown,
      typed,
      problemsOf(response, sourcePlaces(kind, false)),
      response.status,
    );
  return await formPage(view, found, typed, new Map([['', [CHANGED]]]), 412);
}

/** Message about a resource that has changed since the form was loaded. */
export const CHANGED =
  'Somebody has changed this since you loaded the form. Look at it in another window; if you save now, what you have typed takes its place.';

async function formPage(
  view: ManageView,
  { source, kind, revision }: EditedSource,
  typed: SourceTyped,
  problems: Problems,
  status = 200,
): Promise<PageContent> {
  const { name } = source;
  return {
    status,
    title: `Change source ${name}`,
    trail: [ALL_SOURCES, { path: sourcePath(name), text: name }],
    body: [
      h('h1', {}, `Change ${name}`),
      await sourceForm(view, { path: sourcePath(name, '/edit'), kind, typed, problems, revision }),
    ],
  };
}
