import { listRegistries } from './actions/list-registries.ts';
import { showIndex } from './actions/show-index.ts';
import { showOpenApi, showRegistryOpenApi } from './actions/show-openapi.ts';
import { auditRoutes } from './routes/audit-routes.ts';
import { callerRoutes } from './routes/caller-routes.ts';
import { extensionRoutes, serverRoutes, stepsToRegistry } from './routes/consumer-routes.ts';
import { entryRoutes } from './routes/entry-routes.ts';
import { metadataRoute, metricsRoute, operationRoutes } from './routes/operation-routes.ts';
import { readParameters } from './steps/read-parameters.ts';
import { registryRoutes } from './routes/registry-routes.ts';
import { json, NOTHING, route, type RouteParts } from './routes/route-parts.ts';
import type { Route } from './request/route.ts';
import { sourceRoutes } from './routes/source-routes.ts';
import { registryPath } from './steps/access/load-registry.ts';

export function publicRoutes(parts: RouteParts): readonly Route[] {
  const routes: Route[] = [
    ...serverRoutes(parts),
    ...extensionRoutes(parts, 'skill'),
    ...extensionRoutes(parts, 'plugin'),
    ...discoveryRoutes(parts),
    ...(['json', 'yaml'] as const).flatMap((format) => descriptionRoutes(parts, format, () => routes)),
    ...(parts.config.adminApi ? managementRoutes(parts) : []),
    metadataRoute(parts),
    ...operationRoutes(parts),
  ];
  return routes;
}

/** Returns the endpoints below `/v1`, which `server.adminApi: false` removes. */
function managementRoutes(parts: RouteParts): readonly Route[] {
  return [
    ...sourceRoutes(parts),
    ...registryRoutes(parts),
    ...entryRoutes(parts),
    ...callerRoutes(parts),
    ...auditRoutes(parts),
  ];
}

export function internalRoutes(parts: RouteParts): readonly Route[] {
  return [...operationRoutes(parts), metricsRoute(parts)];
}

function discoveryRoutes({ reader, version, config }: RouteParts): readonly Route[] {
  const { publicUrl } = config;
  const discover = (name: string, path: string, summary: string) =>
    route('registry.discover', name, path, 'registries', summary);
  return [
    {
      ...discover('showIndex', '/', 'What this server is, and where its registries are.'),
      response: json('Name, version, registries and links; HTML for browsers.', 'Index'),
      publicWith: 'any registry',
      steps: [showIndex(reader, version, publicUrl)],
    },
    {
      ...discover('listRegistries', '/registry', 'The registries that may be read.'),
      response: json('Names and addresses.', 'RegistryList'),
      publicWith: 'any registry',
      steps: [listRegistries(reader, publicUrl)],
    },
  ];
}

function descriptionRoutes(
  parts: RouteParts,
  format: 'json' | 'yaml',
  routes: () => readonly Route[],
): readonly Route[] {
  const response = { description: 'OpenAPI 3.1.', contentType: `application/${format}` };
  const options = { format, routes, publicUrl: parts.config.publicUrl };
  const describe = (name: string, path: string, tag: Route['tag'], summary: string) =>
    route('operation', `${name}_${format}`, path, tag, summary);
  return [
    {
      ...describe(
        'showRegistryOpenApi',
        `/registry/{registryName}/openapi.${format}`,
        'registries',
        'Description of the API of one registry.',
      ),
      pathParameters: registryPath,
      publicWith: 'its registry',
      response,
      refusals: [403, 404],
      steps: [readParameters(registryPath, NOTHING), ...stepsToRegistry(parts), showRegistryOpenApi(options)],
    },
    {
      ...describe('showOpenApi', `/openapi.${format}`, 'operation', 'Description of this API.'),
      open: true,
      response,
      steps: [showOpenApi(options)],
    },
  ];
}
