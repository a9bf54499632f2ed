import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import { parse } from 'yaml';
import { json } from './support/responses.ts';
import { startServer, type TestServer } from './support/start-server.ts';

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema?: object }>> }>
  >;
}

interface Description {
  readonly openapi: string;
  readonly info: { readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<string, Operation>>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

/** Every operation with its path. */
function operationsOf({ paths }: Description): readonly (readonly [string, Operation])[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).flatMap((operation) =>
      operation === undefined ? [] : [[path, operation] as const],
    ),
  );
}

describe('OpenAPI document', () => {
  let server: TestServer;
  let whole: Description;
  before(async () => {
    server = await startServer();
    whole = await json<Description>(server.get('/openapi.json'));
  });
  after(() => server.close());

  it('is the same in JSON and in YAML', async () => {
    for (const place of ['', '/registry/main']) {
      const yaml = await server.get(`${place}/openapi.yaml`);
      expect(yaml.headers.get('content-type')).to.equal('application/yaml');
      expect(parse(await yaml.text())).to.deep.equal(await json(server.get(`${place}/openapi.json`)));
    }
  });

  it('contains the version and the project name by which clients detect a registry', async () => {
    for (const place of ['', '/registry/main']) {
      const { openapi, info } = await json<Description>(server.get(`${place}/openapi.json`));
      expect([openapi, info.version]).to.deep.equal(['3.1.0', '1.0.0']);
      expect(info.description).to.include('https://github.com/modelcontextprotocol/registry');
    }
  });

  it('lists every endpoint of the public listener', () => {
    const extension = (tag: string) => {
      const prefix = `/registry/{registryName}/v0.1/x/dev.toolhive/${tag}`;
      const entry = `${prefix}/{namespace}/{name}`;
      const every = `/registry/{registryName}/v0.1/x/dev.portolan/${tag}`;
      return [prefix, every, entry, `${entry}/versions`, `${entry}/versions/{version}`];
    };
    expect(Object.keys(whole.paths)).to.have.members([
      '/',
      '/registry',
      '/registry/{registryName}/openapi.json',
      '/registry/{registryName}/openapi.yaml',
      '/registry/{registryName}/v0.1/servers',
      '/registry/{registryName}/v0.1/servers/{serverName}/versions',
      '/registry/{registryName}/v0.1/servers/{serverName}/versions/{version}',
      '/registry/{registryName}/v0.1/x/dev.portolan/servers/{serverName}/versions/{version}/changes',
      ...extension('skills'),
      ...extension('plugins'),
      '/v1/source-kinds',
      '/v1/sources',
      '/v1/sources/{sourceName}',
      '/v1/sources/{sourceName}/sync',
      '/v1/sources/{sourceName}/entries',
      '/v1/registries',
      '/v1/registries/{registryName}',
      '/v1/registries/{registryName}/entries',
      '/v1/entries',
      '/v1/entries/{entryType}/{entryName}',
      '/v1/entries/{entryType}/{entryName}/versions/{version}',
      '/v1/entries/{entryType}/{entryName}/versions/{version}/status',
      '/v1/entries/{entryType}/{entryName}/status',
      '/v1/entries/{entryType}/{entryName}/claims',
      '/v1/audit/events',
      '/v1/me',
      '/v1/validate',
      '/v1/authz/explain',
      '/.well-known/oauth-protected-resource',
      '/openapi.json',
      '/openapi.yaml',
      '/health',
      '/readiness',
      '/version',
    ]);
    const ids = operationsOf(whole).map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it('describes every path parameter, and query parameters like their validation', () => {
    for (const [path, operation] of operationsOf(whole)) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const named = operation.parameters.filter((parameter) => parameter.in === 'path');
      expect(
        named.map(({ name }) => name),
        path,
      ).to.deep.equal(inPath);
      expect(named.every(({ required }) => required)).to.equal(true);
    }
    const list = whole.paths['/registry/{registryName}/v0.1/servers']?.['get']?.parameters;
    expect(list?.find(({ name }) => name === 'limit')).to.deep.equal({
      name: 'limit',
      in: 'query',
      required: false,
      description: 'Maximum number of rows on the page. More than 1000 counts as 1000.',
      schema: { type: 'integer', minimum: 1, default: 30 },
    });
  });

  it('of one registry has paths relative to its address', async () => {
    const one = await json<Description>(server.get('/registry/main/openapi.json'));
    expect(one.servers).to.deep.equal([{ url: '/registry/main' }]);
    expect(Object.keys(one.paths)).to.include.members(['/v0.1/servers', '/openapi.yaml']);
    expect(JSON.stringify(one.paths)).not.to.include('registryName');
    expect((await server.get('/registry/none/openapi.yaml')).status).to.equal(404);
  });

  const answers = [
    { route: '/', path: '/' },
    { route: '/registry', path: '/registry' },
    { route: '/registry/{registryName}/v0.1/servers', path: '/registry/main/v0.1/servers?limit=2' },
    {
      route: '/registry/{registryName}/v0.1/servers/{serverName}/versions',
      path: '/registry/main/v0.1/servers/com.acme%2Fnotes/versions',
    },
    {
      route: '/registry/{registryName}/v0.1/servers/{serverName}/versions/{version}',
      path: '/registry/main/v0.1/servers/com.acme%2Fnotes/versions/1.0.0',
    },
    {
      route: '/registry/{registryName}/v0.1/x/dev.toolhive/skills',
      path: '/registry/main/v0.1/x/dev.toolhive/skills',
    },
    {
      route: '/registry/{registryName}/v0.1/x/dev.toolhive/plugins/{namespace}/{name}',
      path: '/registry/main/v0.1/x/dev.toolhive/plugins/com.acme/bundle',
    },
    { route: '/health', path: '/health' },
    { route: '/readiness', path: '/readiness' },
    { route: '/version', path: '/version' },
    { route: '/v1/me', path: '/v1/me' },
    { route: '/.well-known/oauth-protected-resource', path: '/.well-known/oauth-protected-resource' },
    { route: '/registry/{registryName}/v0.1/servers', path: '/registry/main/v0.1/servers?limit=0' },
    { route: '/registry/{registryName}/v0.1/servers', path: '/registry/none/v0.1/servers' },
  ];
  for (const { route, path } of answers) {
    it(`describes the response of ${path}`, async () => {
      const ajv = new Ajv2020({ strict: false });
      addFormats.default(ajv);
      ajv.addSchema({ $id: 'whole', components: whole.components });
      const answer = await server.get(path);
      const described =
        whole.paths[route]?.['get']?.responses[answer.status]?.content['application/json']?.schema;
      expect(described, `${answer.status} is described`).to.be.an('object');
      const check = ajv.compile(JSON.parse(JSON.stringify(described).replaceAll('#/', 'whole#/')) as object);
      expect(check(await answer.json()), ajv.errorsText(check.errors)).to.equal(true);
    });
  }
});
