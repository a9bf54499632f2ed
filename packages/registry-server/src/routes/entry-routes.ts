import {
  deleteEntryVersion,
  entryPath,
  entryVersionPath,
  publishEntry,
  setEntryClaims,
  setEntryStatus,
  setVersionStatus,
  showEntryClaims,
  showManagedEntry,
} from '../actions/entries.ts';
import { adminRoutes, NO_CONTENT } from './admin-routes.ts';
import { managedQuery, publishQuery } from '../parameters/admin-parameters.ts';
import { json, type RouteParts } from './route-parts.ts';
import type { Route } from '../request/route.ts';
import { filterAdminEntries } from '../steps/access/filter-entries.ts';
import { markDryRun } from '../steps/mark-dry-run.ts';
import { runBeforePublish } from '../steps/run-before-publish.ts';

export function entryRoutes(parts: RouteParts): readonly Route[] {
  const { admin, hooks, config } = parts;
  const role = 'manageEntries';
  const path = '/v1/entries/{entryType}/{entryName}';
  return [
    ...adminRoutes(
      parts,
      role,
      'entries',
      '/v1/entries',
    )({
      method: 'POST',
      name: 'publishEntry',
      event: 'entry.publish',
      eventWhenTried: 'entry.publish.dry_run',
      summary: 'Publish a version of a server, skill or plugin.',
      query: publishQuery,
      body: 'Publication',
      response: json('The published version.', 'PublishedEntry', 201),
      answerWhenTried: json('Of a dry run: what would have been published.', 'TriedPublication'),
      refusals: [409, 412],
      first: [markDryRun],
      steps: [runBeforePublish(hooks), publishEntry(admin, config.publicUrl)],
    }),
    ...adminRoutes(
      parts,
      role,
      'entries',
      path,
      entryPath,
    )({
      method: 'GET',
      name: 'showManagedEntry',
      event: 'entry.read',
      summary: 'Show an entry of a managed source: its claims, and all versions with their status.',
      query: managedQuery,
      response: json('The entry.', 'ManagedEntry'),
      refusals: [404, 409],
      steps: [filterAdminEntries(hooks), showManagedEntry(admin)],
    }),
    ...adminRoutes(
      parts,
      role,
      'entries',
      `${path}/versions/{version}`,
      entryVersionPath,
    )({
      method: 'DELETE',
      name: 'deleteEntryVersion',
      event: 'entry.delete',
      summary: 'Delete a version permanently.',
      query: managedQuery,
      response: NO_CONTENT,
      refusals: [404, 409, 412],
      steps: [deleteEntryVersion(admin)],
    }),
    ...adminRoutes(
      parts,
      role,
      'entries',
      `${path}/versions/{version}/status`,
      entryVersionPath,
    )({
      method: 'PATCH',
      name: 'setVersionStatus',
      event: 'entry.status.update',
      summary: 'Deprecate, withdraw or restore a version.',
      query: managedQuery,
      body: 'StatusChange',
      response: json('The version.', 'ChangedVersion'),
      refusals: [404, 409, 412],
      steps: [setVersionStatus(admin)],
    }),
    ...adminRoutes(
      parts,
      role,
      'entries',
      `${path}/status`,
      entryPath,
    )({
      method: 'PATCH',
      name: 'setEntryStatus',
      event: 'entry.status.update',
      summary: 'Deprecate, withdraw or restore all versions of an entry.',
      query: managedQuery,
      body: 'StatusChange',
      response: json('Number of changed versions, and their present state.', 'ChangedVersions'),
      refusals: [404, 409, 412],
      steps: [setEntryStatus(admin)],
    }),
    ...adminRoutes(
      parts,
      role,
      'entries',
      `${path}/claims`,
      entryPath,
    )(
      {
        method: 'GET',
        name: 'showEntryClaims',
        event: 'entry.claims.read',
        summary: 'Show the claims of an entry.',
        query: managedQuery,
        response: json('The claims; empty when there are none.', 'Claims'),
        refusals: [404, 409],
        steps: [showEntryClaims(admin)],
      },
      {
        method: 'PUT',
        name: 'setEntryClaims',
        event: 'entry.claims.update',
        summary: 'Set the claims of all versions of an entry; an empty map removes them.',
        query: managedQuery,
        body: 'Claims',
        response: NO_CONTENT,
        refusals: [404, 409, 412],
        steps: [setEntryClaims(admin)],
      },
    ),
  ];
}
