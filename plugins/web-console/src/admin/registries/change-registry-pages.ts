import type { PageResponse, PageRoute } from '@portolan/plugin-api';
import { h } from 'preact';
import type { ConsoleParts, PageContent } from '../../layout/view.ts';
import { NO_PROBLEMS, type Problems, problemsOf } from '../forms/problems.ts';
import { addressable, formOf, revisionOf } from '../forms/read-form.ts';
import { type RegistryResponse, said } from '../parts/api-responses.ts';
import { leadTo, type ManageView, managePage } from '../parts/manage-page.ts';
import { refused } from '../parts/refused.ts';
import { CHANGED } from '../sources/edit-source-pages.ts';
import { visibleSources } from '../sources/visible-sources.ts';
import {
  NOTHING_TYPED,
  readRegistry,
  CHANGED_PLACES,
  NEW_PLACES,
  registryForm,
  type RegistryTyped,
  typedOfForm,
  typedOfRegistry,
} from './registry-form.ts';
import { ALL_REGISTRIES, registryInApi, registryPath } from './registry-paths.ts';

const NEW = '/manage/new-registry';

export function changeRegistryPages(parts: ConsoleParts): readonly PageRoute[] {
  const edit = '/manage/registries/{registryName}/edit';
  return [
    managePage(parts, { path: NEW, name: 'newRegistryPage', summary: 'A form for a new registry.' }, showNew),
    managePage(
      parts,
      { method: 'POST', path: NEW, name: 'newRegistryForm', summary: 'Makes a registry.' },
      takeNew,
    ),
    managePage(parts, { path: edit, name: 'editRegistryPage', summary: 'A form for a registry.' }, showEdit),
    managePage(
      parts,
      { method: 'POST', path: edit, name: 'editRegistryForm', summary: 'Changes a registry.' },
      takeEdit,
    ),
  ];
}

/**
 * Renders the form for a new registry. Refuses visitors who cannot list registries, because they cannot
 * create one either.
 */
async function showNew(view: ManageView): Promise<PageContent> {
  const response = await view.api({ path: '/v1/registries' });
  if (response.status !== 200) return refused(view, response);
  return await formPage(view, { typed: NOTHING_TYPED, problems: NO_PROBLEMS });
}

async function takeNew(view: ManageView): Promise<PageContent | PageResponse> {
  const form = formOf(view);
  const typed = typedOfForm(form);
  if (form.get('action') === 'rows') return await formPage(view, { typed, problems: NO_PROBLEMS });
  const { body, problems } = readRegistry(form);
  const name = typed.name.trim();
  const path = registryInApi(addressable(name));
  const headers = { 'If-None-Match': '*', ...(problems.size > 0 ? FOR_NO_STATE : {}) };
  const reply = await view.api({ method: 'PUT', path, body, headers });
  if (reply.status === 201) return leadTo(view, registryPath(name), 'registry-made');
  const isOfNoState = problems.size > 0 && reply.status === 404;
  const match = isOfNoState ? NO_PROBLEMS : problemsOf(reply, NEW_PLACES);
  const unnamed = name === '' ? UNNAMED : NO_PROBLEMS;
  const status = problems.size > 0 ? 400 : reply.status;
  return await formPage(view, { typed, problems: new Map([...match, ...unnamed, ...problems]), status });
}

const UNNAMED: Problems = new Map([['name', ['The registry needs a name.']]]);

/**
 * Header with a revision that no registry has. For an invalid form, it makes the request fail, but the API
 * still validates the other fields.
 */
const FOR_NO_STATE = { 'If-Match': '"none"' };

async function showEdit(view: ManageView): Promise<PageContent> {
  const { registryName = '' } = view.request.parameters;
  const response = await view.api({ path: registryInApi(registryName) });
  if (response.status !== 200) return refused(view, response);
  const typed = typedOfRegistry(said<RegistryResponse>(response));
  return await formPage(view, { typed, problems: NO_PROBLEMS, revision: response.headers['etag'] ?? '' });
}

async function takeEdit(view: ManageView): Promise<PageContent | PageResponse> {
  const form = formOf(view);
  const { registryName: name = '' } = view.request.parameters;
  const typed = { ...typedOfForm(form), name };
  const shown = { typed, revision: form.get('revision') ?? '' };
  if (form.get('action') === 'rows') return await formPage(view, { ...shown, problems: NO_PROBLEMS });
  const { body, problems } = readRegistry(form);
  // `If-Match` prevents an update from creating a registry that does not exist.
  const headers = problems.size > 0 ? FOR_NO_STATE : { 'If-Match': '*', ...revisionOf(form) };
  const reply = await view.api({ method: 'PUT', path: registryInApi(name), body, headers });
  if (reply.status === 200) return leadTo(view, registryPath(name), 'registry-changed');
  const isOfState = reply.status === 412 || (problems.size > 0 && reply.status === 404);
  if (problems.size > 0 || !isOfState) {
    const match = isOfState ? NO_PROBLEMS : problemsOf(reply, CHANGED_PLACES);
    const status = problems.size > 0 ? 400 : reply.status;
    return await formPage(view, { ...shown, problems: new Map([...match, ...problems]), status });
  }
  const now = await view.api({ path: registryInApi(name) });
  if (now.status !== 200) return refused(view, now);
  return await formPage(view, {
    typed,
    revision: now.headers['etag'] ?? '',
    problems: new Map([['', [CHANGED]]]),
    status: 412,
  });
}

async function formPage(
  view: ManageView,
  {
    typed,
    problems,
    revision,
    status = 200,
  }: {
    readonly typed: RegistryTyped;
    readonly problems: Problems;
    readonly revision?: string;
    readonly status?: number;
  },
): Promise<PageContent> {
  const isNew = revision === undefined;
  const path = isNew ? NEW : registryPath(typed.name, '/edit');
  return {
    status,
    title: isNew ? 'New registry' : `Change registry ${typed.name}`,
    trail: [ALL_REGISTRIES, ...(isNew ? [] : [{ path: registryPath(typed.name), text: typed.name }])],
    body: [
      h('h1', {}, isNew ? 'New registry' : `Change ${typed.name}`),
      await registryForm(view, {
        path,
        typed,
        problems,
        revision,
        known: (await visibleSources(view)).map(({ name }) => name),
      }),
    ],
  };
}
