import { STATUS_CODES } from 'node:http';
import type { ConfigBlock } from '@portolan/plugin-api';
import type { Parameter, ParameterTable } from '../parameters/parameter.ts';
import type { JsonSchema, Route } from '../request/route.ts';
import { REQUEST_SCHEMAS } from './admin-schemas.ts';
import { RESPONSE_SCHEMAS, schemaOf } from './response-schemas.ts';

const REGISTRY_PREFIX = '/registry/{registryName}';

/** Clients probe for both before they read a registry, so they are part of the interface. */
const INFO = {
  title: 'Portolan registry',
  version: '1.0.0',
  description:
    'Implements the reading part of the generic MCP registry API v0.1 ' +
    '(https://github.com/modelcontextprotocol/registry): lists, version histories and single versions of ' +
    'MCP servers, once for each registry. Skills and plugins are an extension below `x/dev.toolhive`. ' +
    'Sources, registries and entries are managed below `/v1`; `/v0.1/publish` is not part of it.',
} as const;

/** Returns the OpenAPI 3.1 document of the routes. Paths are relative to the given address. */
export function describeRoutes(routes: readonly Route[], serverUrl: string): JsonSchema {
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: serverUrl }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    paths: Object.fromEntries(
      [...Map.groupBy(routes, ({ path }) => path)].map(([path, methods]) => [
        path,
        Object.fromEntries(methods.map((route) => [route.method.toLowerCase(), describeRoute(route)])),
      ]),
    ),
    components: {
      schemas: { ...RESPONSE_SCHEMAS, ...REQUEST_SCHEMAS },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}

/** Returns the routes of one registry, with paths relative to the registry's address. */
export function registryRoutes(routes: readonly Route[]): readonly Route[] {
  return routes
    .filter((route) => route.path.startsWith(`${REGISTRY_PREFIX}/`))
    .map((route) => {
      const { registryName: _, ...pathParameters } = route.pathParameters;
      return { ...route, path: route.path.slice(REGISTRY_PREFIX.length), pathParameters };
    });
}

function describeRoute(route: Route): JsonSchema {
  const refusals = [...new Set([...route.refusals, 500])].map((status) => [
    String(status),
    { description: STATUS_CODES[status], content: { 'application/json': { schema: schemaOf('Error') } } },
  ]);
  const { status = 200 } = route.response;
  const response = describeResponse(route.response);
  const tried = route.answerWhenTried;
  return {
    operationId: route.name,
    summary: route.role === undefined ? route.summary : `${route.summary} Needs the role ${route.role}.`,
    tags: [route.tag],
    parameters: [...parametersIn('path', route.pathParameters), ...parametersIn('query', route.query)],
    ...(route.body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: route.body } } } }),
    // A token is optional: some servers require none, and a public registry needs none.
    security: route.open === true ? [{}] : [{ bearer: [] }, {}],
    responses: {
      [String(status)]: response,
      ...(tried === undefined ? {} : { [String(tried.status ?? 200)]: describeResponse(tried) }),
      ...(route.eventWhenCreated === undefined ? {} : { '201': response }),
      ...Object.fromEntries(refusals),
    },
  };
}

function describeResponse({ description, contentType, schema }: Route['response']): JsonSchema {
  if (contentType === undefined) return { description };
  return { description, content: { [contentType]: schema === undefined ? {} : { schema } } };
}

function parametersIn(place: 'path' | 'query', table: ParameterTable): readonly JsonSchema[] {
  return Object.entries(table).map(([name, parameter]) => ({
    name,
    in: place,
    required: parameter.required === true,
    description: descriptionOf(parameter),
    schema: jsonSchemaOf(parameter.schema),
    ...(parameter.schema.type === 'array' ? { style: 'form', explode: false } : {}),
  }));
}

function descriptionOf({ description, cap }: Parameter): string {
  return cap === undefined ? description : `${description} More than ${cap} counts as ${cap}.`;
}

/**
 * Converts a schema of a parameter to JSON Schema. They differ only in two keywords, which parameters do not
 * use.
 */
function jsonSchemaOf(block: ConfigBlock): JsonSchema {
  return { ...block };
}
