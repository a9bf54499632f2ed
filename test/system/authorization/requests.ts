import {
  extensionDocument,
  inlineSource,
  type Json,
  type RegistryUnderTest,
  type RequestOptions,
  serverDocument,
} from '../../support/registry-under-test.ts';
import type { Row } from './matrix.ts';

/** Initial configuration of every server in the matrix. */
export const CONFIG: Json = {
  // The audit log keeps the last requests, too.
  audit: { enabled: true, logFile: './audit.log' },
  sources: [
    { name: 'published', managed: {}, claims: { org: 'acme' } },
    { name: 'abroad', managed: {}, claims: { org: 'other' } },
    { name: 'bare', managed: {} },
    inlineSource('catalog', { org: 'acme' }, [serverDocument('com.acme/catalogued')]),
  ],
  registries: [{ name: 'main', sources: ['published'], claims: { org: 'acme' } }],
};

/**
 * Claims of a resource that the caller satisfies, that the caller does not satisfy, and of one without
 * claims.
 */
export const LABELS = [{ org: 'acme' }, { org: 'other' }, {}] as const satisfies readonly Json[];

export interface MatrixRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

let count = 0;

/** Makes the resource of a row with these claims as an authorized caller, and returns the request for it. */
export async function prepare(
  server: RegistryUnderTest,
  row: Row,
  claims: Json,
  maker: RequestOptions,
): Promise<MatrixRequest> {
  const [method = '', pattern = ''] = row.route.split(' ');
  count += 1;
  const id = `r${count}`;
  const make = (way: string, path: string, body: unknown) => sendSound(server, way, path, { ...maker, body });
  const requestTo = (values: Json, body?: unknown): MatrixRequest => ({
    method,
    path: pattern.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name]))),
    ...(body === undefined ? {} : { body }),
  });
  const bodies: Readonly<Record<string, unknown>> = {
    'PUT /v1/sources/{sourceName}': { managed: {}, claims: { org: 'acme' } },
    'PUT /v1/registries/{registryName}': { sources: ['published'], claims: { org: 'acme' } },
    'PATCH /v1/entries/{entryType}/{entryName}/status': { status: 'deprecated' },
    'PATCH /v1/entries/{entryType}/{entryName}/versions/{version}/status': { status: 'deprecated' },
    'PUT /v1/entries/{entryType}/{entryName}/claims': { claims: { org: 'acme' } },
    'POST /v1/authz/explain': { registry: id },
    'POST /v1/validate': serverDocument('com.acme/valid'),
  };
  const usual = bodies[row.route];
  /**
   * Publishes with claims, which auth-only mode requires, and removes them for rows about an entry without
   * claims.
   */
  const publish = async (type: string, document: Json, as: Json = claims) => {
    const isUnlabelled = Object.keys(as).length === 0;
    const published = isUnlabelled ? { org: 'acme' } : as;
    await make('POST', '/v1/entries?source=published', { [type]: document, claims: published });
    if (!isUnlabelled) return;
    await make('PUT', `/v1/entries/${type}/com.acme%2F${id}/claims`, { claims: {} });
  };
  const soundServer = (name: string) => serverDocument(`com.acme/${name}`);

  switch (row.resource) {
    case '-':
      return requestTo({}, usual);
    case 'registry':
      await make('PUT', `/v1/registries/${id}`, { sources: ['published'], claims });
      return requestTo({ registryName: id }, usual);
    case 'new registry':
      return requestTo({ registryName: id }, { sources: ['published'], claims });
    case 'registry over source':
      await make('PUT', `/v1/sources/${id}`, { managed: {}, claims });
      await make('PUT', `/v1/registries/${id}`, { sources: ['published'], claims: { org: 'acme' } });
      return requestTo({ registryName: id }, { sources: [id], claims: { org: 'acme' } });
    case 'source':
      await make('PUT', `/v1/sources/${id}`, { managed: {}, claims });
      return requestTo({ sourceName: id }, usual);
    case 'synced source': {
      const { name: _, ...definition } = inlineSource(id, claims, [serverDocument('com.acme/synced')]);
      await make('PUT', `/v1/sources/${id}`, definition);
      return requestTo({ sourceName: id });
    }
    case 'new source':
      return requestTo({ sourceName: id }, { managed: {}, claims });
    case 'server':
      await publish('server', soundServer(id));
      return requestTo(
        {
          registryName: 'main',
          serverName: `com.acme/${id}`,
          entryType: 'server',
          entryName: `com.acme/${id}`,
          version: '1.0.0',
        },
        usual,
      );
    case 'skill':
    case 'plugin':
      await publish(row.resource, extensionDocument('com.acme', id));
      return requestTo({ registryName: 'main', namespace: 'com.acme', name: id, version: '1.0.0' });
    case 'new server':
      return { method, path: `${pattern}?source=published`, body: { server: soundServer(id), claims } };
    case 'managed source':
      return {
        method,
        path: `${pattern}?source=${claims['org'] === 'acme' ? 'published' : claims['org'] === 'other' ? 'abroad' : 'bare'}`,
        body: { server: soundServer(id), claims: { org: 'acme' } },
      };
    case 'new claims':
      await publish('server', soundServer(id), { org: 'acme' });
      return requestTo({ entryType: 'server', entryName: `com.acme/${id}` }, { claims });
    default:
      throw new Error(`nobody knows how to make a ${row.resource}`);
  }
}

async function sendSound(
  server: RegistryUnderTest,
  method: string,
  path: string,
  options: RequestOptions,
): Promise<void> {
  const answer = await server.send(method, path, options);
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
}
