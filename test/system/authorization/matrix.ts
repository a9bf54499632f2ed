/**
 * Table of statuses by caller and route, one row for each route. The columns are statuses under full
 * authorization for a resource with claims that the caller satisfies, with claims that the caller does not
 * satisfy, and without claims.
 *
 * own the caller has the role of the route and the claim org=acme super the caller has the role superAdmin
 * and no other claim open the mode is auth-only (any token) or anonymous (no token)
 *
 * Without a valid token, every route returns 401 under full authorization and in auth-only mode, unless it is
 * `public`. Without the role of the route, the status is 403 for every resource. `requests.ts` makes the
 * resource of a row. '-' is a route without a resource.
 */
export interface Row {
  readonly route: string;
  readonly role: 'superAdmin' | 'manageSources' | 'manageRegistries' | 'manageEntries' | 'none' | 'public';
  readonly resource: string;
  readonly own: readonly [satisfied: number, notSatisfied: number, unlabelled: number];
  readonly super: number;
  readonly open: number;
  /** Statuses of anonymous mode that differ from auth-only mode. */
  readonly anonymous?: number;
}

const S = 'manageSources';
const R = 'manageRegistries';
const E = 'manageEntries';
const registry = '/registry/{registryName}';
const consumer = `${registry}/v0.1`;
const vendor = `${consumer}/x/dev.toolhive`;
const ours = `${consumer}/x/dev.portolan`;
const entry = '/v1/entries/{entryType}/{entryName}';

// prettier-ignore
const TABLE: readonly (readonly [string, Row['role'], string, Row['own'], number, number, number?])[] = [
  // route                                              role  resource     own: sat, not, unl   super open anonymous
  [`GET ${consumer}/servers`, 'none', 'registry', [200, 403, 403], 200, 200],
  [`GET ${consumer}/servers/{serverName}/versions`, 'none', 'server', [200, 404, 404], 200, 200],
  [`GET ${consumer}/servers/{serverName}/versions/{version}`, 'none', 'server', [200, 404, 404], 200, 200],
  [
    `GET ${ours}/servers/{serverName}/versions/{version}/changes`,
    'none',
    'server',
    [200, 404, 404],
    200,
    200,
  ],
  [`GET ${vendor}/skills`, 'none', 'registry', [200, 403, 403], 200, 200],
  [`GET ${vendor}/skills/{namespace}/{name}`, 'none', 'skill', [200, 404, 404], 200, 200],
  [`GET ${vendor}/skills/{namespace}/{name}/versions`, 'none', 'skill', [200, 404, 404], 200, 200],
  [`GET ${vendor}/skills/{namespace}/{name}/versions/{version}`, 'none', 'skill', [200, 404, 404], 200, 200],
  [`GET ${vendor}/plugins`, 'none', 'registry', [200, 403, 403], 200, 200],
  [`GET ${vendor}/plugins/{namespace}/{name}`, 'none', 'plugin', [200, 404, 404], 200, 200],
  [`GET ${vendor}/plugins/{namespace}/{name}/versions`, 'none', 'plugin', [200, 404, 404], 200, 200],
  [
    `GET ${vendor}/plugins/{namespace}/{name}/versions/{version}`,
    'none',
    'plugin',
    [200, 404, 404],
    200,
    200,
  ],
  [`GET ${ours}/skills`, 'none', 'registry', [200, 403, 403], 200, 200],
  [`GET ${ours}/plugins`, 'none', 'registry', [200, 403, 403], 200, 200],
  [`GET ${registry}/openapi.json`, 'none', 'registry', [200, 403, 403], 200, 200],
  [`GET ${registry}/openapi.yaml`, 'none', 'registry', [200, 403, 403], 200, 200],
  ['GET /', 'none', '-', [200, 200, 200], 200, 200],
  ['GET /registry', 'none', '-', [200, 200, 200], 200, 200],

  ['GET /v1/source-kinds', S, '-', [200, 200, 200], 200, 200],
  ['GET /v1/sources', S, '-', [200, 200, 200], 200, 200],
  ['GET /v1/sources/{sourceName}', S, 'source', [200, 404, 404], 200, 200],
  ['PUT /v1/sources/{sourceName}', S, 'source', [200, 404, 404], 200, 200],
  ['PUT /v1/sources/{sourceName}', S, 'new source', [201, 403, 403], 201, 201],
  ['DELETE /v1/sources/{sourceName}', S, 'source', [204, 404, 404], 204, 204],
  ['POST /v1/sources/{sourceName}/sync', S, 'synced source', [202, 404, 404], 202, 202],
  ['GET /v1/sources/{sourceName}/entries', S, 'source', [200, 404, 404], 200, 200],

  ['GET /v1/registries', R, '-', [200, 200, 200], 200, 200],
  ['GET /v1/registries/{registryName}', R, 'registry', [200, 404, 404], 200, 200],
  ['PUT /v1/registries/{registryName}', R, 'registry', [200, 404, 404], 200, 200],
  ['PUT /v1/registries/{registryName}', R, 'new registry', [201, 403, 403], 201, 201],
  ['PUT /v1/registries/{registryName}', R, 'registry over source', [200, 403, 403], 200, 200],
  ['DELETE /v1/registries/{registryName}', R, 'registry', [204, 404, 404], 204, 204],
  ['GET /v1/registries/{registryName}/entries', R, 'registry', [200, 404, 404], 200, 200],

  ['POST /v1/entries', E, 'new server', [201, 403, 400], 201, 201],
  ['POST /v1/entries', E, 'managed source', [201, 403, 403], 201, 201],
  [`GET ${entry}`, E, 'server', [200, 404, 404], 200, 200],
  [`DELETE ${entry}/versions/{version}`, E, 'server', [204, 404, 404], 204, 204],
  [`PATCH ${entry}/versions/{version}/status`, E, 'server', [200, 404, 404], 200, 200],
  [`PATCH ${entry}/status`, E, 'server', [200, 404, 404], 200, 200],
  [`GET ${entry}/claims`, E, 'server', [200, 404, 404], 200, 200],
  [`PUT ${entry}/claims`, E, 'server', [204, 404, 404], 204, 204],
  [`PUT ${entry}/claims`, E, 'new claims', [204, 403, 403], 204, 204],

  ['GET /v1/me', 'none', '-', [200, 200, 200], 200, 200, 401],
  ['POST /v1/validate', 'none', '-', [200, 200, 200], 200, 200],
  // For superAdmins only, with any claims.
  ['GET /v1/audit/events', 'superAdmin', '-', [403, 403, 403], 200, 200],
  ['POST /v1/authz/explain', 'none', 'registry', [200, 200, 200], 200, 200],

  ['GET /.well-known/oauth-protected-resource', 'public', '-', [200, 200, 200], 200, 200, 404],
  ['GET /openapi.json', 'public', '-', [200, 200, 200], 200, 200],
  ['GET /openapi.yaml', 'public', '-', [200, 200, 200], 200, 200],
  ['GET /health', 'public', '-', [200, 200, 200], 200, 200],
  ['GET /readiness', 'public', '-', [200, 200, 200], 200, 200],
  ['GET /version', 'public', '-', [200, 200, 200], 200, 200],
];

export const MATRIX: readonly Row[] = TABLE.map(
  ([route, role, resource, own, superAdmin, open, anonymous]) => ({
    route,
    role,
    resource,
    own,
    super: superAdmin,
    open,
    ...(anonymous === undefined ? {} : { anonymous }),
  }),
);
