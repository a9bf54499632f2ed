import type { AccessPolicy } from '@portolan/authorization';
import type { GuardedHooks, ServerConfig } from '@portolan/kernel';
import type { RegistryReader } from '@portolan/registry';
import {
  EXTENSION_KEYS,
  type ExtensionType,
  listExtensionEntries,
} from './actions/list-extension-entries.ts';
import { extensionPath, listExtensionVersions } from './actions/list-extension-versions.ts';
import { listRegistries } from './actions/list-registries.ts';
import { listServerVersions, serverPath, versionsQuery } from './actions/list-server-versions.ts';
import { listServers } from './actions/list-servers.ts';
import {
  type ReadinessProbe,
  showHealth,
  showMetrics,
  showReadiness,
  showResourceMetadata,
  showVersion,
} from './actions/operation.ts';
import { showCaller } from './actions/show-caller.ts';
import {
  extensionVersionPath,
  showExtensionEntry,
  showExtensionVersion,
} from './actions/show-extension-entry.ts';
import { showIndex } from './actions/show-index.ts';
import { showOpenApi, showRegistryOpenApi } from './actions/show-openapi.ts';
import { serverVersionPath, showServerVersion } from './actions/show-server-version.ts';
import type { PageCache } from './answers/page-cache.ts';
import type { ServerMetrics } from './metrics/server-metrics.ts';
import { schemaOf } from './openapi/response-schemas.ts';
import { listExtensionQuery, listServersQuery } from './parameters/list-parameters.ts';
import type { ParameterTable } from './parameters/parameter.ts';
import { readParameters } from './parameters/read-parameters.ts';
import type { Route, Step } from './route.ts';
import { answerPage, type Render } from './steps/answer-page.ts';
import { filterByClaims } from './steps/filter-by-claims.ts';
import { filterEntries } from './steps/filter-entries.ts';
import { gateRegistry } from './steps/gate-registry.ts';
import { loadRegistry, registryPath } from './steps/load-registry.ts';
import type { VersionInfo } from './version-info.ts';

/** What the steps and actions of all routes work with. */
export interface RouteParts {
  readonly reader: RegistryReader;
  readonly policy: AccessPolicy;
  readonly hooks: GuardedHooks;
  readonly config: Pick<ServerConfig, 'publicUrl' | 'compress' | 'cors'>;
  readonly version: VersionInfo;
  readonly readiness: ReadinessProbe;
  readonly pages: PageCache;
  readonly metrics: ServerMetrics;
}

const NOTHING: ParameterTable = {};

/** Every endpoint of the public listener and its steps: the HTTP surface on one page. */
export function publicRoutes(parts: RouteParts): readonly Route[] {
  const { reader, policy, version, config } = parts;
  const { publicUrl } = config;
  const toRegistry = stepsToRegistry(parts);
  const routes: Route[] = [
    ...serverRoutes(parts),
    ...extensionRoutes(parts, 'skill'),
    ...extensionRoutes(parts, 'plugin'),
    {
      ...route('showIndex', '/', 'registries', 'What this server is, and where its registries are.'),
      answer: json('Name, version, registries and links; HTML for browsers.', 'Index'),
      steps: [showIndex(reader, policy, version, publicUrl)],
    },
    {
      ...route('listRegistries', '/registry', 'registries', 'The registries that may be read.'),
      answer: json('Names and addresses.', 'RegistryList'),
      steps: [listRegistries(reader, policy, publicUrl)],
    },
    ...(['json', 'yaml'] as const).map(
      (format): Route => ({
        ...route(
          `showRegistryOpenApi_${format}`,
          `/registry/{registryName}/openapi.${format}`,
          'registries',
          'Description of the API of one registry.',
        ),
        pathParameters: registryPath,
        answer: { description: 'OpenAPI 3.1.', contentType: `application/${format}` },
        refusals: [403, 404],
        steps: [
          readParameters(registryPath, NOTHING),
          ...toRegistry,
          showRegistryOpenApi(format, () => routes),
        ],
      }),
    ),
    ...(['json', 'yaml'] as const).map(
      (format): Route => ({
        ...route(`showOpenApi_${format}`, `/openapi.${format}`, 'operation', 'Description of this API.'),
        open: true,
        answer: { description: 'OpenAPI 3.1.', contentType: `application/${format}` },
        steps: [showOpenApi(format, () => routes)],
      }),
    ),
    {
      ...route('showCaller', '/v1/me', 'callers', 'Who the sender is.'),
      answer: json('Subject, roles and registries.', 'Caller'),
      refusals: [401],
      steps: [showCaller(reader, policy)],
    },
    {
      ...route(
        'showResourceMetadata',
        '/.well-known/oauth-protected-resource',
        'operation',
        'How to get a token (RFC 9728); 404 where none is needed.',
      ),
      open: true,
      answer: { description: 'OAuth protected resource metadata.', contentType: 'application/json' },
      refusals: [404],
      steps: [showResourceMetadata()],
    },
    ...operationRoutes(parts),
  ];
  return routes;
}

/** Every endpoint of the internal listener and its steps. */
export function internalRoutes(parts: RouteParts): readonly Route[] {
  return [
    ...operationRoutes(parts),
    {
      ...route('showMetrics', '/metrics', 'operation', 'Measurements.'),
      open: true,
      answer: { description: 'Prometheus text format.', contentType: 'text/plain' },
      refusals: [404, 503],
      steps: [showMetrics(parts.metrics)],
    },
  ];
}

/** The reading part of the MCP registry API v0.1, once for each registry. */
function serverRoutes(parts: RouteParts): readonly Route[] {
  const { reader } = parts;
  const prefix = '/registry/{registryName}/v0.1/servers';
  const versions = `${prefix}/{serverName}/versions`;
  return [
    {
      ...consumer('listServers', prefix, 'servers', 'List servers.'),
      pathParameters: registryPath,
      query: listServersQuery,
      answer: json('One page.', 'ServerList'),
      steps: readingSteps(parts, registryPath, listServersQuery, listServers(reader)),
    },
    {
      ...consumer('listServerVersions', versions, 'servers', 'All versions of a server, newest first.'),
      pathParameters: serverPath,
      query: versionsQuery,
      answer: json('At most 1000 versions.', 'ServerList'),
      steps: readingSteps(parts, serverPath, versionsQuery, listServerVersions(reader)),
    },
    {
      ...consumer('showServerVersion', `${versions}/{version}`, 'servers', 'One version of a server.'),
      pathParameters: serverVersionPath,
      query: versionsQuery,
      answer: json('The server.', 'ServerResponse'),
      steps: readingSteps(parts, serverVersionPath, versionsQuery, showServerVersion(reader)),
    },
  ];
}

/** Skills or plugins; the two differ in nothing but their names. */
function extensionRoutes(parts: RouteParts, type: ExtensionType): readonly Route[] {
  const { reader } = parts;
  const tag = EXTENSION_KEYS[type];
  const schema = type === 'skill' ? 'Skill' : 'Plugin';
  const prefix = `/registry/{registryName}/v0.1/x/dev.toolhive/${tag}`;
  const entry = `${prefix}/{namespace}/{name}`;
  return [
    {
      ...consumer(`list${schema}s`, prefix, tag, `List ${tag}, each in its latest version.`),
      pathParameters: registryPath,
      query: listExtensionQuery,
      answer: json('One page.', `${schema}List`),
      steps: readingSteps(parts, registryPath, listExtensionQuery, listExtensionEntries(reader, type)),
    },
    {
      ...consumer(`show${schema}`, entry, tag, `The latest version of a ${type}.`),
      pathParameters: extensionPath,
      answer: json(`The ${type}.`, schema),
      steps: readingSteps(parts, extensionPath, NOTHING, showExtensionEntry(reader, type)),
    },
    {
      ...consumer(
        `list${schema}Versions`,
        `${entry}/versions`,
        tag,
        `All versions of a ${type}, newest first.`,
      ),
      pathParameters: extensionPath,
      answer: json('At most 1000 versions.', `${schema}List`),
      steps: readingSteps(parts, extensionPath, NOTHING, listExtensionVersions(reader, type)),
    },
    {
      ...consumer(`show${schema}Version`, `${entry}/versions/{version}`, tag, `One version of a ${type}.`),
      pathParameters: extensionVersionPath,
      answer: json(`The ${type}.`, schema),
      steps: readingSteps(parts, extensionVersionPath, NOTHING, showExtensionVersion(reader, type)),
    },
  ];
}

/** What both listeners answer without a token in every mode. */
function operationRoutes({ readiness, version }: RouteParts): readonly Route[] {
  return [
    {
      ...route('showHealth', '/health', 'operation', 'Whether the process answers.'),
      open: true,
      answer: json('It does.', 'Health'),
      steps: [showHealth()],
    },
    {
      ...route('showReadiness', '/readiness', 'operation', 'Whether requests can be served.'),
      open: true,
      answer: json('They can.', 'Readiness'),
      refusals: [503],
      steps: [showReadiness(readiness)],
    },
    {
      ...route('showVersion', '/version', 'operation', 'Which build runs.'),
      open: true,
      answer: json('The build.', 'Version'),
      steps: [showVersion(version)],
    },
  ];
}

/** From the name of a registry to the registry, for those who pass its gate. */
function stepsToRegistry({ reader, policy }: RouteParts): readonly Step[] {
  return [loadRegistry(reader), gateRegistry(policy)];
}

/** How every read of entries goes: claims first, then the hook, then the page. */
function readingSteps(
  parts: RouteParts,
  path: ParameterTable,
  query: ParameterTable,
  render: Render,
): readonly Step[] {
  const { policy, hooks, pages, config } = parts;
  const vary = config.cors.allowedOrigins.includes('*') ? '' : ', Origin';
  const options = { cache: pages, compress: config.compress, vary: `Accept-Encoding, Authorization${vary}` };
  return [
    readParameters(path, query),
    ...stepsToRegistry(parts),
    filterByClaims(policy),
    filterEntries(hooks),
    answerPage(options, render),
  ];
}

/** What most routes have in common. */
function route(name: string, path: string, tag: Route['tag'], summary: string) {
  return {
    method: 'GET',
    name,
    path,
    tag,
    summary,
    pathParameters: NOTHING,
    query: NOTHING,
    refusals: [],
  } as const;
}

/** A route of the consumer API: also below `/v0`, for older clients. */
function consumer(name: string, path: string, tag: Route['tag'], summary: string) {
  const aliases = [path.replace('/v0.1/', '/v0/')];
  return { ...route(name, path, tag, summary), aliases, refusals: [400, 403, 404, 503, 504] };
}

function json(description: string, schema: Parameters<typeof schemaOf>[0]): Route['answer'] {
  return { description, contentType: 'application/json', schema: schemaOf(schema) };
}
