import { ENTRY_STATUSES } from '@portolan/plugin-api';
import { type ComponentChildren, h } from 'preact';
import { claimsEditor, type ClaimRow } from '../forms/claims-editor.ts';
import { checkBox, type Choice, choicesOf, NOT_CHOSEN, selectField, textField } from '../forms/fields.ts';
import { actions, postForm, submitButton } from '../forms/form.ts';
import { type Problems, problemSummary } from '../forms/problems.ts';
import type { ManagedEntryResponse } from '../parts/api-responses.ts';
import type { ManageView } from '../parts/manage-page.ts';
import { breakable } from '../../layout/parts-of-pages.ts';
import { facts, versionStatus, table, timeText } from '../parts/show.ts';

export interface EntryShown {
  readonly entry: ManagedEntryResponse;
  readonly path: string;
  readonly revision: string;
  readonly problems: Problems;
  readonly rows: readonly ClaimRow[];
  /** Submitted form that the API refused; undefined on the first view. */
  readonly form: URLSearchParams | undefined;
  readonly now: Date;
  readonly claimsHint: string;
}

export function entryBody(view: ManageView, shown: EntryShown): ComponentChildren {
  const { entry, problems, now } = shown;
  const { type, name, source, versions } = entry;
  return [
    h('h1', {}, breakable(name)),
    problemSummary(problems),
    facts([
      ['Type', type],
      ['Source', source],
      ['Versions', String(versions.length)],
    ]),
    table(
      'Versions',
      ['Version', 'Status', 'Message', 'Published', 'Changed'],
      versions.map((one) => [
        one.isLatest === true ? [one.version, ' ', h('span', { class: 'quiet' }, 'latest')] : one.version,
        versionStatus(one.status),
        one.statusMessage ?? '',
        timeText(one.createdAt, now),
        timeText(one.updatedAt, now),
      ]),
    ),
    statusForm(view, shown),
    claimsForm(view, shown),
    removalForm(view, shown),
  ];
}

/** Value of the version field that selects all versions. No version has this name, because `*` is a range. */
export const ALL_VERSIONS = '*';

function statusForm(view: ManageView, { entry, path, problems, form }: EntryShown): ComponentChildren {
  const versions = versionsOf(entry);
  // A single version is preselected, because there is no choice.
  const choices =
    versions.length === 1
      ? versions
      : [NOT_CHOSEN, { value: ALL_VERSIONS, text: 'all versions' }, ...versions];
  const statuses = ENTRY_STATUSES.filter((status) => entry.type !== 'server' || status !== 'archived');
  return [
    h('h2', {}, 'Status'),
    postForm(
      view,
      { path, label: 'Status', main: 'status' },
      selectField(
        { name: 'version', label: 'Version', required: true, problems },
        form?.get('version') ?? '',
        choices,
      ),
      selectField(
        { name: 'status', label: 'New status', required: true, problems },
        form?.get('status') ?? '',
        [NOT_CHOSEN, ...choicesOf(statuses)],
      ),
      textField(
        {
          name: 'statusMessage',
          label: 'Message',
          hint: 'For users: the reason, and what to use instead.',
          problems,
        },
        form?.get('statusMessage') ?? '',
      ),
      actions(submitButton('Change the status', 'status')),
    ),
  ];
}

function claimsForm(
  view: ManageView,
  { path, revision, problems, rows, claimsHint: hint }: EntryShown,
): ComponentChildren {
  return [
    h('h2', {}, 'Who sees it'),
    postForm(
      view,
      { path, label: 'Claims', revision, main: 'claims' },
      claimsEditor(rows, problems, hint),
      actions(submitButton('Change the claims', 'claims')),
    ),
  ];
}

function removalForm(
  view: ManageView,
  { entry, path, revision, problems, form }: EntryShown,
): ComponentChildren {
  return [
    h('h2', {}, 'Remove a version'),
    h(
      'p',
      {},
      'It is gone for good: tick that you are sure. The status "deleted" hides a version, and can be taken back.',
    ),
    postForm(
      view,
      { path, label: 'Remove a version', revision, main: 'remove' },
      selectField(
        { name: 'removed', label: 'Version', required: true, problems },
        form?.get('removed') ?? '',
        [NOT_CHOSEN, ...versionsOf(entry)],
      ),
      checkBox({ name: 'sure', label: 'I am sure', problems }, false),
      actions(submitButton('Remove the version', 'remove', 'danger')),
    ),
  ];
}

function versionsOf({ versions }: ManagedEntryResponse): readonly Choice[] {
  return choicesOf(versions.map(({ version }) => version));
}
