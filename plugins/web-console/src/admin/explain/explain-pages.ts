import {
  type ApiResponse,
  ENTRY_TYPES,
  isJsonObject,
  type PageResponse,
  type PageRoute,
} from '@portolan/plugin-api';
import { type ComponentChildren, h } from 'preact';
import { readRegistries } from '../../responses/read-registries.ts';
import type { ConsoleParts, PageContent } from '../../layout/view.ts';
import { choicesOf, selectField, textArea, textField } from '../forms/fields.ts';
import { actions, postForm, submitButton } from '../forms/form.ts';
import { NO_PROBLEMS, type Problems, problemsOf, problemSummary } from '../forms/problems.ts';
import { formOf } from '../forms/read-form.ts';
import { said } from '../parts/api-responses.ts';
import { type ManageView, managePage } from '../parts/manage-page.ts';
import { refused } from '../parts/refused.ts';
import type { Explanation } from './explanation.ts';
import { report } from './report.ts';

const PATH = '/manage/explain';

/**
 * Returns the pages that explain access decisions: for the visitor, for given claims, or for the holder of a
 * token.
 */
export function explainPages(parts: ConsoleParts): readonly PageRoute[] {
  return [
    managePage(
      parts,
      { path: PATH, name: 'explainPage', summary: 'A form that asks why a caller may see something.' },
      async (view) => {
        const { query } = view.request;
        // Refuses visitors who may not ask before they fill in the form.
        const asking = view.roles.length > 0 ? undefined : await ask(view, {}, '');
        if (asking !== undefined && asking.status !== 200) return refused(view, asking);
        return await formPage(view, { form: query });
      },
    ),
    managePage(
      parts,
      {
        method: 'POST',
        path: PATH,
        name: 'explainForm',
        summary: 'Explains why a caller may see something.',
      },
      takeForm,
    ),
  ];
}

async function takeForm(view: ManageView): Promise<PageContent | PageResponse> {
  const form = formOf(view);
  const question = readQuestion(form);
  if (question.problems.size > 0)
    return await formPage(view, { form, problems: question.problems, status: 400 });
  const token = form.get('token')?.trim() ?? '';
  const response = await ask(view, question.question, token);
  if (response.status === 200)
    return await formPage(view, { form, explanation: said<Explanation>(response) });
  if (response.status === 401 && token === '') return refused(view, response);
  const places = {
    fieldOf: () => undefined,
    byCode: token === '' ? CODES : { ...CODES, ...codesOfToken(response) },
  };
  // A 401 concerns the token in the form and not the visitor, so the page has the status 400.
  return await formPage(view, {
    form,
    problems: problemsOf(response, places),
    status: response.status === 401 ? 400 : response.status,
  });
}

const CODES = { ERR_REGISTRY_NOT_FOUND: 'registry', ERR_EXPLANATION_FORBIDDEN: 'claims' };

function codesOfToken({ status, json }: ApiResponse): Readonly<Record<string, string>> {
  const code = isJsonObject(json) ? json['code'] : undefined;
  return status === 401 && typeof code === 'string' ? { [code]: 'token' } : {};
}

/** Requests an explanation. A token in the form becomes the `Authorization` header of this one request. */
async function ask(view: ManageView, question: object, token: string): Promise<ApiResponse> {
  const request = { method: 'POST', path: '/v1/authz/explain', body: question } as const;
  if (token === '') return await view.api(request);
  return await view.request.api(request, `Bearer ${token}`);
}

function readQuestion(form: URLSearchParams): { readonly question: object; readonly problems: Problems } {
  const problems = new Map<string, readonly string[]>();
  const text = (name: string) => form.get(name)?.trim() ?? '';
  const [registry, name, input, token] = [text('registry'), text('name'), text('claims'), text('token')];
  const claims = parseClaims(input);
  if (input !== '' && claims === undefined) problems.set('claims', ['This is not a JSON object.']);
  if (input !== '' && token !== '') problems.set('token', ['Give claims or a token, not both.']);
  if (token !== '' && !/^[\w.~+/=-]+$/.test(token))
    problems.set('token', ['This is not a token. Paste only the token, without "Bearer".']);
  if (name !== '' && registry === '') problems.set('registry', ['An entry needs its registry.']);
  const question = {
    ...(registry === '' ? {} : { registry }),
    ...(name === '' ? {} : { entry: { type: text('type'), name } }),
    ...(claims === undefined ? {} : { caller: { claims } }),
  };
  return { question, problems };
}

function parseClaims(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = text === '' ? undefined : JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined; // the caller reports it at the field
  }
}

async function formPage(
  view: ManageView,
  {
    form,
    problems = NO_PROBLEMS,
    explanation,
    status = 200,
  }: {
    readonly form: URLSearchParams;
    readonly problems?: Problems;
    readonly explanation?: Explanation;
    readonly status?: number;
  },
): Promise<PageContent> {
  const isSuper = view.roles.includes('superAdmin');
  return {
    status,
    title: 'Explain access',
    body: [
      h('h1', {}, 'Why can a caller see this?'),
      postForm(
        view,
        { path: PATH, label: 'What is to be explained' },
        problemSummary(problems),
        textField(
          {
            name: 'registry',
            label: 'Registry',
            hint: 'Name of the registry. The form suggests those that you may read.',
            problems,
          },
          form.get('registry') ?? '',
          { list: 'known-registries' },
        ),
        h(
          'datalist',
          { id: 'known-registries' },
          (await readRegistries(view)).map(({ name }) => h('option', { value: name })),
        ),
        selectField(
          { name: 'type', label: 'Type of the entry', problems },
          form.get('type') ?? 'server',
          choicesOf(ENTRY_TYPES),
        ),
        textField(
          {
            name: 'name',
            label: 'Name of the entry',
            hint: 'Without a name, only the registry is explained.',
            problems,
          },
          form.get('name') ?? '',
        ),
        who(form, problems, isSuper),
        actions(submitButton('Explain')),
      ),
      explanation === undefined ? undefined : report(explanation, view),
    ],
  };
}

function who(form: URLSearchParams, problems: Problems, isSuper: boolean): ComponentChildren {
  return h(
    'fieldset',
    {},
    h('legend', {}, 'Who'),
    h(
      'p',
      { class: 'hint' },
      isSuper
        ? 'Leave this empty to ask about yourself. To ask about another caller, give claims or a token, not both.'
        : 'Leave this empty to ask about yourself, or paste the token of another caller. Only a superAdmin can ask with claims instead.',
    ),
    isSuper
      ? textArea(
          {
            name: 'claims',
            label: 'A caller with these claims',
            hint: 'A JSON object, such as {"sub": "bo", "org": "acme"}.',
            problems,
          },
          form.get('claims') ?? '',
          { class: 'mono' },
        )
      : undefined,
    textArea(
      {
        name: 'token',
        label: 'The holder of this token',
        hint: 'The server checks it now, as it would in an API request, and does not store it.',
        problems,
      },
      '', // a token is never echoed
      { class: 'mono', autocomplete: 'off' },
    ),
  );
}
