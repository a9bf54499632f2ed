import type { ApiResponse, PageResponse, PageRoute } from '@portolan/plugin-api';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { ConsoleParts, PageContent } from '../../layout/view.ts';
import { page } from '../../layout/page.ts';
import { entryPath } from '../entries/entry-paths.ts';
import { NO_PROBLEMS, type Problems, problemsOf } from '../forms/problems.ts';
import { formOf } from '../forms/read-form.ts';
import { type ErrorResponse, type Issue, said } from '../parts/api-responses.ts';
import { leadTo, type ManageView, managePage } from '../parts/manage-page.ts';
import { refused } from '../parts/refused.ts';
import { type Findings, findFaults, findingsList } from './findings.ts';
import { NOTHING_TYPED, type PublishTyped, readPublication, typedOfForm } from './publication.ts';
import { CHECK, PUBLISH, PUBLISH_PLACES, publishForm } from './publish-form.ts';

/**
 * Returns the pages that publish a version. They show all problems before publication, with JavaScript
 * already while the user types.
 */
export function publishPages(parts: ConsoleParts): readonly PageRoute[] {
  return [
    managePage(
      parts,
      { path: PUBLISH, name: 'publishPage', summary: 'A form to publish a version.' },
      showForm,
    ),
    managePage(
      parts,
      { method: 'POST', path: PUBLISH, name: 'publishForm', summary: 'Checks or publishes a version.' },
      takeForm,
    ),
    page(
      parts,
      {
        method: 'POST',
        path: CHECK,
        name: 'checkDocument',
        summary: 'Problems of a document, as part of a page.',
      },
      async (view) => {
        const form = formOf(view);
        const findings = await findFaults(view, typedOfForm(form));
        return { status: 200, body: renderToString(findingsList(findings)) };
      },
    ),
  ];
}

/** Renders the form for visitors who may publish. Others see the API's refusal of a dry run. */
async function showForm(view: ManageView): Promise<PageContent> {
  if (view.roles.includes('manageEntries')) return await formPage(view, { typed: NOTHING_TYPED });
  return refused(
    view,
    await view.api({ method: 'POST', path: '/v1/entries', query: { dryRun: 'true' }, body: {} }),
  );
}

async function takeForm(view: ManageView): Promise<PageContent | PageResponse> {
  const form = formOf(view);
  const typed = typedOfForm(form);
  if (form.get('action') === 'rows') return await formPage(view, { typed });
  const { body, problems } = readPublication(typed);
  if (body === undefined) return await formPage(view, { typed, problems, status: 400 });
  const isTried = form.get('action') !== 'publish';
  const source = typed.source === '' ? {} : { source: typed.source };
  const query = { ...source, ...(isTried ? { dryRun: 'true' } : {}) };
  const response = await view.api({ method: 'POST', path: '/v1/entries', query, body });
  if (response.status === 201) return leadTo(view, publishedPath(response, typed), 'published');
  const findings = await findFaults(view, typed);
  if (response.status === 200) return await formPage(view, { typed, findings, tried: said<Tried>(response) });
  return await formPage(view, { typed, findings, problems: whyRefused(response), status: response.status });
}

/** Returns the page of the published entry, whose name is in the `Location` header. */
function publishedPath({ headers }: ApiResponse, { type, source }: PublishTyped): string {
  const [, name] = /\/v1\/entries\/[a-z]+\/([^/]+)\/versions\//.exec(headers['location'] ?? '') ?? [];
  return name === undefined ? '/manage/entries' : entryPath(type, decodeURIComponent(name), source);
}

/** Returns the problems of the form fields. Problems of the document appear below the document instead. */
function whyRefused(response: ApiResponse): Problems {
  const { error = '', code, hint, issues = [] } = said<ErrorResponse>(response);
  const isOfDocument = issues.some(
    ({ path }: Issue) => PUBLISH_PLACES.fieldOf(path) === undefined && path !== '',
  );
  if (!isOfDocument) return problemsOf(response, PUBLISH_PLACES);
  const json = {
    error: 'The document cannot be published as it is: see below it.',
    ...(code === undefined ? { error } : {}),
    hint,
  };
  return problemsOf({ ...response, json }, { fieldOf: () => undefined });
}

interface Tried {
  readonly name: string;
  readonly version: string;
  readonly source: string;
  readonly isLatest: boolean;
}

async function formPage(
  view: ManageView,
  {
    typed,
    problems = NO_PROBLEMS,
    findings,
    tried,
    status = 200,
  }: {
    readonly typed: PublishTyped;
    readonly problems?: Problems;
    readonly findings?: Findings;
    readonly tried?: Tried;
    readonly status?: number;
  },
): Promise<PageContent> {
  return {
    status,
    title: 'Publish',
    body: [
      h('h1', {}, 'Publish a version'),
      tried === undefined
        ? undefined
        : h(
            'p',
            { class: 'note', role: 'status' },
            `${tried.name} ${tried.version} can be published to ${tried.source}${tried.isLatest ? ', and would be its latest version' : ''}. Nothing was published yet.`,
          ),
      await publishForm(view, { typed, problems, findings }),
    ],
  };
}
