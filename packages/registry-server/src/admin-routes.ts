import type { Role } from '@portolan/plugin-api';
import {
  deleteEntryVersion,
  entryPath,
  entryVersionPath,
  publishEntry,
  setEntryClaims,
  setEntryStatus,
  setVersionStatus,
  showEntryClaims,
} from './actions/entries.ts';
import { explainToCaller } from './actions/explain-access.ts';
import {
  adminRegistryPath,
  deleteRegistry,
  listRegistryDefinitions,
  listRegistryEntries,
  putRegistry,
  showRegistryDefinition,
} from './actions/registries.ts';
import { showCaller } from './actions/show-caller.ts';
import {
  deleteSource,
  listSourceEntries,
  listSources,
  putSource,
  showSource,
  sourcePath,
  syncSource,
} from './actions/sources.ts';
import { validateEntry } from './actions/validate-entry.ts';
import { requestSchemaOf } from './openapi/request-schemas.ts';
import { managedQuery, pageQuery } from './parameters/admin-parameters.ts';
import type { ParameterTable } from './parameters/parameter.ts';
import { readParameters } from './parameters/read-parameters.ts';
import { json, NOTHING, route, type RouteParts } from './route-parts.ts';
import type { Route, RouteAnswer, Step } from './route.ts';
import { filterAdminEntries } from './steps/filter-entries.ts';
import { readBody } from './steps/read-body.ts';
import { requireRole } from './steps/require-role.ts';
import { runBeforePublish } from './steps/run-before-publish.ts';

/** What one admin endpoint is, but for what all of them have in common. */
interface AdminRoute {
  readonly method: Route['method'];
  readonly name: string;
  readonly event: string;
  readonly eventWhenCreated?: string;
  readonly summary: string;
  readonly answer: RouteAnswer;
  readonly query?: ParameterTable;
  /** Name of the schema of the body; left out: none is read. */
  readonly body?: Parameters<typeof requestSchemaOf>[0];
  readonly refusals?: readonly number[];
  readonly steps: readonly Step[];
}

const NO_CONTENT: RouteAnswer = { description: 'It is done.', status: 204 };

/** Sources: where entries come from. */
export function sourceRoutes(parts: RouteParts): readonly Route[] {
  const { admin, sourceMaking, hooks } = parts;
  const one = adminRoutes(parts, 'manageSources', 'sources', '/v1/sources/{sourceName}', sourcePath);
  return [
    ...adminRoutes(
      parts,
      'manageSources',
      'sources',
      '/v1/sources',
    )({
      method: 'GET',
      name: 'listSources',
      event: 'source.list',
      summary: 'The sources the caller may see.',
      answer: json('The sources.', 'SourceList'),
      steps: [listSources(admin)],
    }),
    ...one({
      method: 'GET',
      name: 'showSource',
      event: 'source.read',
      summary: 'One source, and how its last sync went.',
      answer: json('The source.', 'Source'),
      refusals: [404],
      steps: [showSource(admin)],
    }),
    ...one({
      method: 'PUT',
      name: 'putSource',
      event: 'source.update',
      eventWhenCreated: 'source.create',
      summary: 'Make a source, or give it a new definition. The kind cannot change.',
      body: 'SourceDefinition',
      answer: json('The source; 201 when it is new.', 'Source'),
      refusals: [404, 409, 412],
      steps: [putSource(admin, sourceMaking)],
    }),
    ...one({
      method: 'DELETE',
      name: 'deleteSource',
      event: 'source.delete',
      summary: 'Remove a source and its entries.',
      answer: NO_CONTENT,
      refusals: [404, 409, 412],
      steps: [deleteSource(admin, sourceMaking)],
    }),
    ...adminRoutes(
      parts,
      'manageSources',
      'sources',
      '/v1/sources/{sourceName}/sync',
      sourcePath,
    )({
      method: 'POST',
      name: 'syncSource',
      event: 'source.sync',
      summary: 'Have a source read at once.',
      answer: json('It is due; the status of the source tells how it went.', 'SyncDue', 202),
      refusals: [404],
      steps: [syncSource(admin, sourceMaking)],
    }),
    ...adminRoutes(
      parts,
      'manageSources',
      'sources',
      '/v1/sources/{sourceName}/entries',
      sourcePath,
    )({
      method: 'GET',
      name: 'listSourceEntries',
      event: 'source.entries.list',
      summary: 'What a source holds, with versions and claims.',
      query: pageQuery,
      answer: json('One page.', 'SourceEntryList'),
      refusals: [404],
      steps: [filterAdminEntries(hooks), listSourceEntries(admin)],
    }),
  ];
}

/** Registries: what is served. */
export function registryRoutes(parts: RouteParts): readonly Route[] {
  const { admin, hooks } = parts;
  const path = '/v1/registries/{registryName}';
  const one = adminRoutes(parts, 'manageRegistries', 'registries', path, adminRegistryPath);
  return [
    ...adminRoutes(
      parts,
      'manageRegistries',
      'registries',
      '/v1/registries',
    )({
      method: 'GET',
      name: 'listRegistryDefinitions',
      event: 'registry.list',
      summary: 'The registries the caller may see, as they are defined.',
      answer: json('The registries.', 'RegistryDefinitionList'),
      steps: [listRegistryDefinitions(admin)],
    }),
    ...one({
      method: 'GET',
      name: 'showRegistryDefinition',
      event: 'registry.read',
      summary: 'One registry, as it is defined.',
      answer: json('The registry.', 'Registry'),
      refusals: [404],
      steps: [showRegistryDefinition(admin)],
    }),
    ...one({
      method: 'PUT',
      name: 'putRegistry',
      event: 'registry.update',
      eventWhenCreated: 'registry.create',
      summary: 'Make a registry, or give it a new definition.',
      body: 'RegistryDefinition',
      answer: json('The registry; 201 when it is new.', 'Registry'),
      refusals: [404, 412],
      steps: [putRegistry(admin)],
    }),
    ...one({
      method: 'DELETE',
      name: 'deleteRegistry',
      event: 'registry.delete',
      summary: 'Remove a registry; its sources and their entries stay.',
      answer: NO_CONTENT,
      refusals: [404, 412],
      steps: [deleteRegistry(admin)],
    }),
    ...adminRoutes(
      parts,
      'manageRegistries',
      'registries',
      `${path}/entries`,
      adminRegistryPath,
    )({
      method: 'GET',
      name: 'listRegistryEntries',
      event: 'registry.entries.list',
      summary: 'Every version that the sources of a registry hold, not shadowed.',
      query: pageQuery,
      answer: json('One page.', 'RegistryEntryList'),
      refusals: [404],
      steps: [filterAdminEntries(hooks), listRegistryEntries(admin)],
    }),
  ];
}

/** Entries of managed sources. */
export function entryRoutes(parts: RouteParts): readonly Route[] {
  const { admin, hooks } = parts;
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
      summary: 'Publish a version of a server, skill or plugin.',
      query: managedQuery,
      body: 'Publication',
      answer: json('What was published.', 'PublishedEntry', 201),
      refusals: [409],
      steps: [runBeforePublish(hooks), publishEntry(admin)],
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
      summary: 'Remove a version for good.',
      query: managedQuery,
      answer: NO_CONTENT,
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
      answer: json('The version.', 'ChangedVersion'),
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
      answer: json('How many versions were changed, and what they are now.', 'ChangedVersions'),
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
        summary: 'The claims of an entry.',
        query: managedQuery,
        answer: json('The claims; empty when there are none.', 'Claims'),
        refusals: [404, 409],
        steps: [showEntryClaims(admin)],
      },
      {
        method: 'PUT',
        name: 'setEntryClaims',
        event: 'entry.claims.update',
        summary: 'Give all versions of an entry other claims; an empty map takes them away.',
        query: managedQuery,
        body: 'Claims',
        answer: NO_CONTENT,
        refusals: [404, 409, 412],
        steps: [setEntryClaims(admin)],
      },
    ),
  ];
}

/** What every caller may ask, whatever their roles. */
export function callerRoutes({ reader, admin, hooks, mostBodyBytes }: RouteParts): readonly Route[] {
  return [
    {
      ...route('user.info', 'showCaller', '/v1/me', 'callers', 'Who the sender is.'),
      answer: json('Subject, roles and registries.', 'Caller'),
      refusals: [401],
      steps: [showCaller(reader)],
    },
    {
      ...route(
        'entry.validate',
        'validateEntry',
        '/v1/validate',
        'entries',
        'What publishing a document would find wrong with it. Writes nothing.',
      ),
      method: 'POST',
      body: requestSchemaOf('Document'),
      answer: json('Every problem; 200 whatever there is.', 'ValidationResult'),
      refusals: [400, 401, 413, 415],
      steps: [validateEntry(admin, mostBodyBytes)],
    },
    {
      ...route(
        'authz.explain',
        'explainAccess',
        '/v1/authz/explain',
        'callers',
        'Why the caller, or for a superAdmin anybody, may or may not read something.',
      ),
      method: 'POST',
      body: requestSchemaOf('AccessQuestion'),
      answer: json('Roles, rules, and every claim: required, held, result.', 'AccessExplanation'),
      refusals: [400, 401, 403, 404, 413, 415],
      steps: [readBody(mostBodyBytes), explainToCaller(reader, hooks)],
    },
  ];
}

/** How every admin request goes: the role, then parameters and body, then what is done, which looks at the claims. */
function adminRoutes(
  { mostBodyBytes }: RouteParts,
  role: Role,
  tag: Route['tag'],
  path: string,
  pathParameters: ParameterTable = NOTHING,
): (...definitions: readonly AdminRoute[]) => readonly Route[] {
  return (...definitions) =>
    definitions.map((definition) => {
      const { query = NOTHING, body, refusals = [], steps, ...rest } = definition;
      return {
        ...rest,
        tag,
        path,
        role,
        pathParameters,
        query,
        ...(body === undefined ? {} : { body: requestSchemaOf(body) }),
        refusals: [400, 401, 403, ...refusals, ...(body === undefined ? [] : [413, 415]), 503, 504],
        steps: [
          requireRole(role),
          readParameters(pathParameters, query),
          ...(body === undefined ? [] : [readBody(mostBodyBytes)]),
          ...steps,
        ],
      };
    });
}
