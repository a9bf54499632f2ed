import type { ParameterTable } from '../parameters/parameter.ts';
import {
  deleteSource,
  listSourceEntries,
  listSourceKinds,
  listSources,
  newSourcePath,
  putSource,
  showSource,
  sourcePath,
  syncSource,
} from '../actions/sources.ts';
import { adminRoutes, NO_CONTENT } from './admin-routes.ts';
import { pageQuery, syncQuery } from '../parameters/admin-parameters.ts';
import { json, type RouteParts } from './route-parts.ts';
import type { Route } from '../request/route.ts';
import { filterAdminEntries } from '../steps/access/filter-entries.ts';

const SOURCE = '/v1/sources/{sourceName}';

export function sourceRoutes(parts: RouteParts): readonly Route[] {
  const { admin, sourceMaking, hooks } = parts;
  const at = (path: string, parameters?: ParameterTable) =>
    adminRoutes(parts, 'manageSources', 'sources', path, parameters);
  return [
    ...at('/v1/source-kinds')({
      method: 'GET',
      name: 'listSourceKinds',
      event: 'source.kinds.list',
      summary: 'List the kinds of sources and the settings of each.',
      response: json('The kinds.', 'SourceKindList'),
      steps: [listSourceKinds(sourceMaking)],
    }),
    ...at('/v1/sources')({
      method: 'GET',
      name: 'listSources',
      event: 'source.list',
      summary: 'List the sources that the caller may see.',
      response: json('The sources.', 'SourceList'),
      steps: [listSources(admin)],
    }),
    ...definitionRoutes(parts),
    ...at(
      `${SOURCE}/sync`,
      sourcePath,
    )({
      method: 'POST',
      name: 'syncSource',
      event: 'source.sync',
      summary: 'Start a sync of a source.',
      query: syncQuery,
      response: json('The source is due; its status shows the outcome of the sync.', 'SyncDue', 202),
      refusals: [404],
      steps: [syncSource(admin, sourceMaking)],
    }),
    ...at(
      `${SOURCE}/entries`,
      sourcePath,
    )({
      method: 'GET',
      name: 'listSourceEntries',
      event: 'source.entries.list',
      summary: 'List the entries of a source, with versions and claims.',
      query: pageQuery,
      response: json('One page.', 'SourceEntryList'),
      refusals: [404],
      steps: [filterAdminEntries(hooks), listSourceEntries(admin)],
    }),
  ];
}

function definitionRoutes(parts: RouteParts): readonly Route[] {
  const { admin, sourceMaking, config } = parts;
  const one = adminRoutes(parts, 'manageSources', 'sources', SOURCE, sourcePath);
  const made = adminRoutes(parts, 'manageSources', 'sources', SOURCE, newSourcePath);
  return [
    ...one({
      method: 'GET',
      name: 'showSource',
      event: 'source.read',
      summary: 'Show a source and the outcome of its last sync.',
      response: json('The source.', 'Source'),
      refusals: [404],
      steps: [showSource(admin)],
    }),
    ...made({
      method: 'PUT',
      name: 'putSource',
      event: 'source.update',
      eventWhenCreated: 'source.create',
      summary: 'Create a source, or replace its definition. The kind cannot change.',
      body: 'SourceDefinition',
      response: json('The source; 201 when it is new.', 'Source'),
      refusals: [404, 409, 412],
      steps: [putSource(admin, sourceMaking, config.publicUrl)],
    }),
    ...one({
      method: 'DELETE',
      name: 'deleteSource',
      event: 'source.delete',
      summary: 'Delete a source and its entries.',
      response: NO_CONTENT,
      refusals: [404, 409, 412],
      steps: [deleteSource(admin, sourceMaking)],
    }),
  ];
}
