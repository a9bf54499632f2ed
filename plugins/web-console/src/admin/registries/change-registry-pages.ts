import type { ApiAnswer, PageAnswer, PageRoute } from '@portolan/plugin-api';
import { h } from 'preact';
import type { ConsoleParts } from '../../layout/console-parts.ts';
import type { PageContent } from '../../layout/page.ts';
import { NO_PROBLEMS, type Problems, problemsOf } from '../forms/problems.ts';
import { formOf, revisionOf } from '../forms/read-form.ts';
import { type RegistryAnswer, said, type SourceAnswer } from '../parts/api-answers.ts';
import { leadTo, type ManageView, managePage } from '../parts/manage-page.ts';
import { refused } from '../parts/refused.ts';
import { CHANGED } from '../sources/edit-source-pages.ts';
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

/** The forms in which registries are made and changed. */
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

/** Who may not list registries could not make one either, and is told so at once. */
async function showNew(view: ManageView): Promise<PageContent> {
  const answer = await view.api({ path: '/v1/registries' });
  if (answer.status !== 200) return refused(view, answer);
  return await formPage(view, { typed: NOTHING_TYPED, problems: NO_PROBLEMS });
}

async function takeNew(view: ManageView): Promise<PageContent | PageAnswer> {
  const form = formOf(view);
  const typed = typedOfForm(form);
  if (form.get('action') === 'rows') return await formPage(view, { typed, problems: NO_PROBLEMS });
  const { body, problems } = readRegistry(form);
  const name = typed.name.trim();
  // Of a form that cannot be read the rest is looked at, and nothing is made.
  const headers = problems.size > 0 ? FOR_NO_STATE : { 'If-None-Match': '*' };
  const path = registryInApi(name);
  const answer = name === '' ? undefined : await view.api({ method: 'PUT', path, body, headers });
  if (answer?.status === 201) return leadTo(view, registryPath(name), 'registry-made');
  const why = answer === undefined ? UNNAMED : whyNotMade(answer, headers);
  const rest = why.has('name')
    ? await whyNotAnyhow(view, registryInApi('another-name'), body)
    : await whetherTaken(view, path);
  const status = answer === undefined || problems.size > 0 ? 400 : answer.status;
  return await formPage(view, { typed, problems: new Map([...rest, ...why, ...problems]), status });
}

const UNNAMED: Problems = new Map([['name', ['The registry needs a name.']]]);
const TAKEN: Problems = new Map([['name', ['There is a registry of this name.']]]);

/** A state that no registry is in: what is sent for it is looked at, and changes nothing. */
const FOR_NO_STATE = { 'If-Match': '"none"' };

function whyNotMade(answer: ApiAnswer, headers: Readonly<Record<string, string>>): Problems {
  if (answer.status === 412) return TAKEN;
  if (headers === FOR_NO_STATE && answer.status === 404) return NO_PROBLEMS;
  return problemsOf(answer, NEW_PLACES);
}

/** What is wrong beside what was found first. */
async function whyNotAnyhow(view: ManageView, path: string, body: unknown): Promise<Problems> {
  const answer = await view.api({ method: 'PUT', path, body, headers: FOR_NO_STATE });
  return answer.status === 400 || answer.status === 403 ? problemsOf(answer, CHANGED_PLACES) : NO_PROBLEMS;
}

/** The API looks at it last. */
async function whetherTaken(view: ManageView, path: string): Promise<Problems> {
  return (await view.api({ path })).status === 200 ? TAKEN : NO_PROBLEMS;
}

async function showEdit(view: ManageView): Promise<PageContent> {
  const { registryName = '' } = view.request.parameters;
  const answer = await view.api({ path: registryInApi(registryName) });
  if (answer.status !== 200) return refused(view, answer);
  const typed = typedOfRegistry(said<RegistryAnswer>(answer));
  return await formPage(view, { typed, problems: NO_PROBLEMS, revision: answer.headers['etag'] ?? '' });
}

async function takeEdit(view: ManageView): Promise<PageContent | PageAnswer> {
  const form = formOf(view);
  const { registryName: name = '' } = view.request.parameters;
  const typed = { ...typedOfForm(form), name };
  const shown = { typed, revision: form.get('revision') ?? '' };
  if (form.get('action') === 'rows') return await formPage(view, { ...shown, problems: NO_PROBLEMS });
  const { body, problems } = readRegistry(form);
  if (problems.size > 0) {
    const rest = await whyNotAnyhow(view, registryInApi(name), body);
    return await formPage(view, { ...shown, problems: new Map([...rest, ...problems]), status: 400 });
  }
  // Without a revision this could make one that is not there.
  const headers = { 'If-Match': '*', ...revisionOf(form) };
  const answer = await view.api({ method: 'PUT', path: registryInApi(name), body, headers });
  if (answer.status === 200) return leadTo(view, registryPath(name), 'registry-changed');
  if (answer.status !== 412)
    return await formPage(view, {
      ...shown,
      problems: problemsOf(answer, CHANGED_PLACES),
      status: answer.status,
    });
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
    trail: [ALL_REGISTRIES],
    body: [
      h('h1', {}, isNew ? 'New registry' : `Change ${typed.name}`),
      registryForm(view, { path, typed, problems, revision, known: await knownSources(view) }),
    ],
  };
}

/** The API tells them only to those who manage sources. */
async function knownSources({ api, roles }: ManageView): Promise<readonly string[]> {
  if (!roles.includes('manageSources')) return [];
  const { sources = [] } = said<{ readonly sources?: readonly SourceAnswer[] }>(
    await api({ path: '/v1/sources' }),
  );
  return sources.map(({ name }) => name);
}
