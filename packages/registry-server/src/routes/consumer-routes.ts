import {
  EXTENSION_KEYS,
  type ExtensionType,
  listExtensionEntries,
} from '../actions/extension/list-extension-entries.ts';
import { extensionPath, listExtensionVersions } from '../actions/extension/list-extension-versions.ts';
import { listServerVersions, serverPath, versionsQuery } from '../actions/list-server-versions.ts';
import { listVersions } from '../actions/list-versions.ts';
import {
  extensionVersionPath,
  showExtensionEntry,
  showExtensionVersion,
} from '../actions/extension/show-extension-entry.ts';
import { changesQuery, showChanges } from '../actions/show-changes.ts';
import { serverVersionPath, showServerVersion } from '../actions/show-server-version.ts';
import { listExtensionQuery, listServersQuery } from '../parameters/list-parameters.ts';
import type { ParameterTable } from '../parameters/parameter.ts';
import { readParameters } from '../steps/read-parameters.ts';
import { json, NOTHING, route, type RouteParts } from './route-parts.ts';
import type { Route, Step } from '../request/route.ts';
import { answerPage, type Render } from '../steps/serve-cached-page.ts';
import { filterByClaims } from '../steps/access/filter-by-claims.ts';
import { filterEntries } from '../steps/access/filter-entries.ts';
import { gateRegistry } from '../steps/access/gate-registry.ts';
import { loadKnownRegistry, loadRegistry, registryPath } from '../steps/access/load-registry.ts';

/** Returns the routes about servers: those of the MCP registry API v0.1, and one of Portolan. */
export function serverRoutes(parts: RouteParts): readonly Route[] {
  const { reader } = parts;
  const prefix = '/registry/{registryName}/v0.1/servers';
  const versions = `${prefix}/{serverName}/versions`;
  return [
    {
      ...consumer('server.list', 'listServers', prefix, 'servers', 'List servers.'),
      pathParameters: registryPath,
      query: listServersQuery,
      response: json('One page.', 'ServerList'),
      steps: listSteps(parts, listServersQuery, listVersions(reader, 'server')),
    },
    {
      ...consumer(
        'server.versions.list',
        'listServerVersions',
        versions,
        'servers',
        'List all versions of a server, newest first.',
      ),
      pathParameters: serverPath,
      query: versionsQuery,
      response: json('At most 1000 versions.', 'ServerList'),
      steps: readingSteps(parts, serverPath, versionsQuery, listServerVersions(reader)),
    },
    {
      ...consumer(
        'server.version.read',
        'showServerVersion',
        `${versions}/{version}`,
        'servers',
        'Show one version of a server.',
      ),
      pathParameters: serverVersionPath,
      query: versionsQuery,
      response: json('The server.', 'ServerResponse'),
      steps: readingSteps(parts, serverVersionPath, versionsQuery, showServerVersion(reader), {
        load: loadKnownRegistry(reader),
      }),
    },
    {
      ...consumer(
        'server.changes.read',
        'showServerChanges',
        versions.replace('/servers/', '/x/dev.portolan/servers/').concat('/{version}/changes'),
        'servers',
        'Show how the tools, prompts and templates of a version differ from those of another.',
      ),
      pathParameters: serverVersionPath,
      query: changesQuery,
      response: json('The differences, each with its class.', 'DefinitionChanges'),
      steps: readingSteps(parts, serverVersionPath, changesQuery, showChanges(reader)),
    },
  ];
}

export function extensionRoutes(parts: RouteParts, type: ExtensionType): readonly Route[] {
  const { reader } = parts;
  const tag = EXTENSION_KEYS[type];
  const schema = type === 'skill' ? 'Skill' : 'Plugin';
  const prefix = `/registry/{registryName}/v0.1/x/dev.toolhive/${tag}`;
  const versions = `/registry/{registryName}/v0.1/x/dev.portolan/${tag}`;
  const everyVersion = `List all versions of ${tag}, with what the registry says of each: for registries that read this one.`;
  const entry = `${prefix}/{namespace}/{name}`;
  return [
    {
      ...consumer(`${type}.list`, `list${schema}s`, prefix, tag, `List ${tag}, each in its latest version.`),
      pathParameters: registryPath,
      query: listExtensionQuery,
      response: json('One page.', `${schema}List`),
      steps: listSteps(parts, listExtensionQuery, listExtensionEntries(reader, type)),
    },
    {
      ...consumer(`${type}.list`, `listEvery${schema}Version`, versions, tag, everyVersion),
      pathParameters: registryPath,
      query: listServersQuery,
      response: json('One page.', `${schema}VersionList`),
      steps: listSteps(parts, listServersQuery, listVersions(reader, type)),
    },
    {
      ...consumer(`${type}.read`, `show${schema}`, entry, tag, `The latest version of a ${type}.`),
      pathParameters: extensionPath,
      response: json(`The ${type}.`, schema),
      steps: readingSteps(parts, extensionPath, NOTHING, showExtensionEntry(reader, type), {
        load: loadKnownRegistry(reader),
      }),
    },
    {
      ...consumer(
        `${type}.versions.list`,
        `list${schema}Versions`,
        `${entry}/versions`,
        tag,
        `All versions of a ${type}, newest first.`,
      ),
      pathParameters: extensionPath,
      response: json('At most 1000 versions.', `${schema}List`),
      steps: readingSteps(parts, extensionPath, NOTHING, listExtensionVersions(reader, type)),
    },
    {
      ...consumer(
        `${type}.version.read`,
        `show${schema}Version`,
        `${entry}/versions/{version}`,
        tag,
        `One version of a ${type}.`,
      ),
      pathParameters: extensionVersionPath,
      response: json(`The ${type}.`, schema),
      steps: readingSteps(parts, extensionVersionPath, NOTHING, showExtensionVersion(reader, type), {
        load: loadKnownRegistry(reader),
      }),
    },
  ];
}

export function stepsToRegistry({ reader }: RouteParts): readonly Step[] {
  return [loadRegistry(reader), gateRegistry];
}

/** Returns the steps of a list. Its entity tag changes when anything on any page changes. */
function listSteps(parts: RouteParts, query: ParameterTable, render: Render): readonly Step[] {
  return readingSteps(parts, registryPath, query, render, { covers: 'list' });
}

interface ReadingOptions {
  /** Set when the entity tag covers the whole list rather than one page. */
  readonly covers?: 'list';
  /** Step that loads the registry. Default: loads the current catalog first. */
  readonly load?: Step;
}

/** Returns the steps of a read: filter by claims, filter by the hook, then create the page. */
function readingSteps(
  parts: RouteParts,
  path: ParameterTable,
  query: ParameterTable,
  render: Render,
  { covers, load = loadRegistry(parts.reader) }: ReadingOptions = {},
): readonly Step[] {
  const { hooks, pages, config } = parts;
  const vary = config.cors.allowedOrigins.includes('*') ? '' : ', Origin';
  const options = {
    cache: pages,
    compress: config.compress,
    vary: `Accept-Encoding, Authorization${vary}`,
    covers,
  };
  return [
    readParameters(path, query),
    load,
    gateRegistry,
    filterByClaims(),
    filterEntries(hooks),
    answerPage(options, render),
  ];
}

/** Returns what all consumer routes share. Each route is also available below `/v0`, for older clients. */
function consumer(event: string, name: string, path: string, tag: Route['tag'], summary: string) {
  const aliases = [path.replace('/v0.1/', '/v0/')];
  return {
    ...route(event, name, path, tag, summary),
    aliases,
    publicWith: 'its registry',
    refusals: [400, 403, 404, 503, 504],
  } as const;
}
