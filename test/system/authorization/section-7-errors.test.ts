import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { LogLine } from '../../support/command-line.ts';
import { type Answer, type RegistryUnderTest, serverDocument } from '../../support/registry-under-test.ts';
import { onSharedServers } from './on-shared-servers.ts';
import { entryPath, newLabel, newName, readPath } from './person.ts';

const ROLES = ['sources', 'registries', 'entries'];

onSharedServers('section 7, errors', 'full', (scene) => {
  const caller = () => scene().person({ org: 'acme', role: ROLES });

  it('400: "Publish to an authenticated endpoint with missing or empty claims."', async () => {
    for (const claims of [undefined, {}])
      expectRefusal(await caller().publish(newName(), claims), 400, 'ERR_CLAIMS_REQUIRED');
  });

  it('401: "a request without valid authentication when authentication is required"', async () => {
    const { server, person } = scene();
    for (const path of ['/v1/me', '/v1/sources', '/registry', readPath('com.acme/x'), '/nothing']) {
      const answer = await person().get(path);
      expectRefusal(answer, 401, 'ERR_CREDENTIAL_MISSING');
      expect(answer.headers.get('www-authenticate'), path).to.be.a('string');
      const token = server.token({ aud: 'another' });
      expectRefusal(await server.send('GET', path, { token }), 401, 'ERR_TOKEN_REFUSED');
    }
  });

  it('403: "Caller\'s claims do not satisfy the registry\'s claims on a consumer request."', async () => {
    expectRefusal(await caller().get('/registry/abroad/v0.1/servers'), 403, 'ERR_REGISTRY_FORBIDDEN');
    expectRefusal(await caller().get('/registry/absent/v0.1/servers'), 404, 'ERR_REGISTRY_NOT_FOUND');
  });

  it('404: "Get by name of a source or registry whose claims the caller does not satisfy."', async () => {
    expectRefusal(await caller().get('/v1/sources/abroad'), 404, 'ERR_SOURCE_NOT_FOUND');
    expectRefusal(await caller().get('/v1/registries/abroad'), 404, 'ERR_REGISTRY_NOT_FOUND');
  });

  it('"Successful claims update returns 204."', async () => {
    const name = await caller().published({ org: 'acme' });
    const answer = await caller().send('PUT', `${entryPath(name)}/claims`, { claims: { org: 'acme' } });
    expect([answer.status, answer.text]).to.deep.equal([204, '']);
  });

  it('every refusal has a message, a code and a request ID, which the log repeats', async () => {
    const { server, admin } = scene();
    const name = await caller().published({ org: 'acme' });
    const source = newLabel();
    await admin.must('PUT', `/v1/sources/${source}`, { managed: {}, claims: { org: 'acme' } });
    await admin.must('PUT', `/v1/registries/${source}`, { sources: [source], claims: { org: 'acme' } });
    const synced = { file: { data: '{"data":{}}' }, syncPolicy: { interval: '1h' }, claims: { org: 'acme' } };
    const cases: readonly (readonly [number, string, string, string, unknown?])[] = [
      [400, 'ERR_BODY_INVALID', 'PUT', '/v1/sources/x', '{'],
      [400, 'ERR_SOURCE_INVALID', 'PUT', '/v1/sources/x', { claims: { org: 'acme' } }],
      [400, 'ERR_BODY_INVALID', 'PUT', '/v1/registries/x', { sources: [], claims: { org: 'acme' } }],
      [
        400,
        'ERR_SOURCE_UNKNOWN',
        'PUT',
        '/v1/registries/x',
        { sources: ['absent'], claims: { org: 'acme' } },
      ],
      [400, 'ERR_KIND_CHANGED', 'PUT', `/v1/sources/${source}`, synced],
      [400, 'ERR_PARAMETER_INVALID', 'GET', '/registry/main/v0.1/servers?limit=x'],
      [
        400,
        'ERR_DOCUMENT_INVALID',
        'POST',
        '/v1/entries?source=published',
        { server: {}, claims: { org: 'acme' } },
      ],
      [400, 'ERR_STATUS_INVALID', 'PATCH', `${entryPath(name)}/status`, { status: 'active' }],
      [403, 'ERR_CLAIMS_BEYOND_CALLER', 'PUT', '/v1/sources/x', { managed: {}, claims: { org: 'other' } }],
      [403, 'ERR_MADE_BY_FILE', 'DELETE', '/v1/sources/published'],
      [
        403,
        'ERR_SOURCE_FORBIDDEN',
        'PUT',
        '/v1/registries/x',
        { sources: ['abroad'], claims: { org: 'acme' } },
      ],
      [404, 'ERR_ENTRY_NOT_FOUND', 'GET', `${entryPath('com.acme/absent')}/claims`],
      [404, 'ERR_ROUTE_NOT_FOUND', 'GET', '/v2/me'],
      [405, 'ERR_METHOD_NOT_ALLOWED', 'POST', '/v1/me'],
      [409, 'ERR_SOURCE_IN_USE', 'DELETE', `/v1/sources/${source}`],
      [
        409,
        'ERR_VERSION_EXISTS',
        'POST',
        '/v1/entries?source=published',
        { server: serverDocument(name), claims: { org: 'acme' } },
      ],
    ];
    for (const [status, code, method, path, body] of cases) {
      const answer = await caller().send(method, path, body);
      const id = expectRefusal(answer, status, code);
      expect(answer.headers.get('x-request-id'), code).to.equal(id);
      expect(await loggedRequest(server, id), code).to.deep.include({ status });
    }
  });

  it('no refusal shows a value of claims, a path of the server or a stack', async () => {
    const { admin } = scene();
    const hidden = await admin.published({ department: 'top-secret-value' });
    for (const [method, path, body] of [
      ['GET', readPath(hidden)],
      ['PUT', `${entryPath(hidden)}/claims`, { claims: { org: 'acme' } }],
      [
        'POST',
        '/v1/entries?source=published',
        { server: serverDocument(hidden, '2.0.0'), claims: { org: 'acme' } },
      ],
      ['GET', '/v1/sources/abroad'],
    ] as const) {
      const { text, status } = await caller().send(method, path, body);
      expect(status, path).to.be.within(400, 499);
      expect(text, path).to.not.match(/top-secret-value|department|node_modules|\/work\/|at async/);
    }
  });
});

/** Returns the log line of a request, which is written after the response. */
async function loggedRequest({ process }: RegistryUnderTest, id: string): Promise<LogLine | undefined> {
  for (const deadline = Date.now() + 40_000; Date.now() < deadline; await delay(10)) {
    const line = process.log.find(({ msg, request_id: of }) => msg === 'request' && of === id);
    if (line !== undefined) return line;
  }
  return undefined;
}

/** Expects a body with a sentence, the code and the request id, and returns the id. */
function expectRefusal(answer: Answer, status: number, code: string): string {
  expect(answer.status, answer.text).to.equal(status);
  const body = answer.json<{ error: string; code: string; requestId: string }>();
  expect(body.code).to.equal(code);
  expect(body.error).to.match(/^\S.*\S$/s);
  expect(body.requestId).to.match(/^\S+$/);
  expect(Object.keys(body)).to.include.members(['error', 'code', 'requestId']);
  return body.requestId;
}
