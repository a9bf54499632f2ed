import type { ApiResponse, PageResponse, PageRoute } from '@portolan/plugin-api';
import type { ConsoleParts, PageContent } from '../../layout/view.ts';
import { claimsOf, type ClaimRow, rowsOf, rowsSent } from '../forms/claims-editor.ts';
import { NO_PROBLEMS, type Places, type Problems, problemsOf } from '../forms/problems.ts';
import { formOf, revisionOf } from '../forms/read-form.ts';
import { type ManagedEntryResponse, said } from '../parts/api-responses.ts';
import { claimsHint } from '../parts/access-mode.ts';
import { leadTo, type ManageView, managePage } from '../parts/manage-page.ts';
import { refused } from '../parts/refused.ts';
import { CHANGED } from '../sources/edit-source-pages.ts';
import { entryInApi, entryPath } from './entry-paths.ts';
import { ALL_VERSIONS, entryBody } from './entry-body.ts';

const PATH = '/manage/entries/{entryType}/{entryName}';

export function entryPages(parts: ConsoleParts): readonly PageRoute[] {
  return [
    managePage(
      parts,
      { path: PATH, name: 'managedEntryPage', summary: 'An entry, for those who manage it.' },
      async (view) => await show(view),
    ),
    managePage(
      parts,
      {
        method: 'POST',
        path: PATH,
        name: 'managedEntryForm',
        summary: 'Changes status or claims of an entry, or removes a version.',
      },
      take,
    ),
  ];
}

/** Submitted values, shown instead of the stored ones. */
interface Typed {
  readonly status?: number;
  readonly problems?: Problems;
  readonly rows?: readonly ClaimRow[];
  readonly form?: URLSearchParams;
}

async function show(
  view: ManageView,
  { status = 200, problems = NO_PROBLEMS, rows, form }: Typed = {},
): Promise<PageContent> {
  const response = await ask(view, 'GET', '');
  if (response.status !== 200) return refused(view, response);
  const entry = said<ManagedEntryResponse>(response);
  const path = entryPath(entry.type, entry.name, view.request.query.get('source') ?? undefined);
  const revision = response.headers['etag'] ?? '';
  const body = entryBody(view, {
    entry,
    path,
    revision,
    problems,
    form,
    rows: rows ?? rowsOf(entry.claims),
    now: view.parts.context.clock(),
    claimsHint: await claimsHint(view, 'entry'),
  });
  return { status, title: entry.name, trail: [{ path: '/manage/entries', text: 'Entries' }], body };
}

async function take(view: ManageView): Promise<PageContent | PageResponse> {
  const form = formOf(view);
  switch (form.get('action') ?? '') {
    case 'status':
      return await changeStatus(view, form);
    case 'remove':
      return await removeVersion(view, form);
    case 'rows':
      return await show(view, { rows: rowsSent(form), form });
    case 'claims':
    default:
      return await changeClaims(view, form);
  }
}

async function changeStatus(view: ManageView, form: URLSearchParams): Promise<PageContent | PageResponse> {
  const version = form.get('version') ?? '';
  const message = form.get('statusMessage')?.trim() ?? '';
  const status = form.get('status') ?? '';
  const wrong = new Map([
    ...(version === '' ? [['version', ['Choose a version, or all.']] as const] : []),
    ...(status === '' ? [['status', ['Choose the new status.']] as const] : []),
  ]);
  if (wrong.size > 0) return await show(view, { status: 400, problems: wrong, form });
  const place = version === ALL_VERSIONS ? '/status' : `/versions/${encodeURIComponent(version)}/status`;
  const body = { status, ...(message === '' ? {} : { statusMessage: message }) };
  return await done(view, form, await ask(view, 'PATCH', place, { body }), 'status-changed');
}

async function removeVersion(view: ManageView, form: URLSearchParams): Promise<PageContent | PageResponse> {
  const version = form.get('removed') ?? '';
  const wrong =
    version === ''
      ? ['Choose a version.']
      : form.has('sure')
        ? []
        : ['Tick that you are sure: nothing brings it back.'];
  if (wrong.length > 0)
    return await show(view, { status: 400, problems: new Map([['removed', wrong]]), form });
  const response = await ask(view, 'DELETE', `/versions/${encodeURIComponent(version)}`, {
    headers: revisionOf(form),
  });
  const isGone = response.status === 204 && (await ask(view, 'GET', '')).status === 404;
  return isGone
    ? leadTo(view, '/manage/entries', 'version-removed')
    : await done(view, form, response, 'version-removed');
}

async function changeClaims(view: ManageView, form: URLSearchParams): Promise<PageContent | PageResponse> {
  const rows = rowsSent(form);
  const { claims, problems } = claimsOf(rows);
  if (problems.length > 0)
    return await show(view, { status: 400, problems: new Map([['claims', problems]]), rows, form });
  const reply = await ask(view, 'PUT', '/claims', { body: { claims }, headers: revisionOf(form) });
  return await done(view, form, reply, 'claims-changed', rows);
}

/** Returns the redirect after a successful change, or the form with its problems. */
async function done(
  view: ManageView,
  form: URLSearchParams,
  response: ApiResponse,
  notice: string,
  rows?: readonly ClaimRow[],
): Promise<PageContent | PageResponse> {
  if (response.status < 300)
    return leadTo(view, `${view.request.path}?${view.request.query.toString()}`, notice);
  // For these statuses, the page shows the refusal only.
  if (response.status === 401 || (response.status === 403 && rows === undefined) || response.status === 404)
    return refused(view, response);
  const problems = response.status === 412 ? new Map([['', [CHANGED]]]) : problemsOf(response, PLACES);
  return await show(view, {
    status: response.status,
    problems,
    form,
    ...(rows === undefined ? {} : { rows }),
  });
}

const PLACES: Places = {
  fieldOf: (place) => (place.startsWith('claims') ? 'claims' : undefined),
  byCode: {
    ERR_CLAIMS_BEYOND_CALLER: 'claims',
    ERR_CLAIMS_REQUIRED: 'claims',
    ERR_STATUS_INVALID: 'status',
  },
};

async function ask(
  view: ManageView,
  method: 'GET' | 'PUT' | 'PATCH' | 'DELETE',
  place: string,
  more: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<ApiResponse> {
  const { entryType = '', entryName = '' } = view.request.parameters;
  const source = view.request.query.get('source');
  const query = source === null || source === '' ? {} : { source };
  return await view.api({ method, path: `${entryInApi(entryType, entryName)}${place}`, query, ...more });
}
