import type { HttpBackend } from '@portolan/plugin-api';
import { expect } from 'chai';
import { HttpBackendUnderTest } from '../support/http-backend.ts';
import { send } from '../support/http-client.ts';
import { Proxies } from '../support/proxy-under-test.ts';

const OURS = [{ name: 'Authorization', value: 'Bearer ours' }];
const BODY = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
const RENEWAL = 'Log in again: portolan login wiki';
const refused = (status: 401 | 403) => {
  const found =
    status === 401
      ? 'does not accept the credentials of this workload'
      : 'says that the credentials of this workload lack permissions';
  const message = `The remote server ${found} (status ${status}). ${RENEWAL}`;
  return { jsonrpc: '2.0', id: 1, error: { code: 403, message } };
};
const THEIRS = { 'WWW-Authenticate': 'Bearer resource_metadata="https://remote.example/"' };

describe('remote that refuses the credentials of the workload', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  interface Asked {
    readonly watches: boolean;
    readonly mine?: Readonly<Record<string, string>>;
    readonly status?: number;
    readonly method?: string;
    readonly body?: string | undefined;
  }

  /** Sends a request that the remote refuses, and returns the response. */
  async function ask(given: Partial<HttpBackend>, asked: Asked) {
    const { watches, mine = {}, status = 401, method = 'POST' } = asked;
    const backend = await HttpBackendUnderTest.start((_request, response) =>
      response.writeHead(status, { ...THEIRS, 'Content-Type': 'application/json' }).end('{}'),
    );
    backends.push(backend);
    const instance = { onResponse: () => undefined };
    const { url } = await proxies.open(
      { carries: 'http', transport: 'streamable-http', target: backend.url, isRemote: true, ...given },
      watches ? { middleware: [{ name: 'watches', placed: 'observe', instance }] } : {},
    );
    const headers = { 'Content-Type': 'application/json', ...mine };
    const body = method === 'POST' ? { body: asked.body ?? BODY } : {};
    return await send(url, { method, headers, ...body });
  }

  /** Sends a request whose first response is 403. Returns the final response and the reported refusals. */
  async function forbidden(isGiven: boolean, watches: boolean, challenge: object = THEIRS) {
    const backend = await HttpBackendUnderTest.start((request, response) => {
      const isMore = request.headers.authorization === 'Bearer more';
      response.writeHead(isMore ? 200 : 403, {
        ...(isMore ? {} : challenge),
        'Content-Type': 'application/json',
      });
      response.end(isMore ? '{"jsonrpc":"2.0","id":1,"result":{}}' : '{"error":"too little"}');
    });
    backends.push(backend);
    let token = 'little';
    const told: unknown[] = [];
    const credentials: HttpBackend['credentials'] = {
      credentials: () => [{ name: 'Authorization', value: `Bearer ${token}` }],
      refused: async (_sent, refusal) => {
        told.push(refusal);
        if (isGiven) token = 'more';
        return isGiven;
      },
    };
    const instance = { onResponse: () => undefined };
    const { url } = await proxies.open(
      {
        carries: 'http',
        transport: 'streamable-http',
        target: backend.url,
        isRemote: true,
        credentials,
        renewal: RENEWAL,
      },
      watches ? { middleware: [{ name: 'watches', placed: 'observe', instance }] } : {},
    );
    const answer = await send(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: BODY,
    });
    return { answer, told, asked: backend.received.length };
  }

  for (const watches of [false, true]) {
    const where = watches ? ', with a policy' : '';
    it(`gets the request again after missing permissions were granted${where}`, async () => {
      const { answer, told, asked } = await forbidden(true, watches);
      expect([answer.status, answer.json.id, asked]).to.deep.equal([200, 1, 2]);
      expect(told).to.deep.equal([{ status: 403, challenge: THEIRS['WWW-Authenticate'] }]);
    });

    it(`causes a JSON-RPC error when the login lacks permissions${where} (world F7)`, async () => {
      const { answer, told, asked } = await forbidden(false, watches);
      expect([answer.status, answer.json, asked]).to.deep.equal([200, refused(403), 1]);
      expect(answer.headers['www-authenticate']).to.equal(undefined);
      expect(told).to.have.lengthOf(1);
    });

    it(`has its 403 forwarded when it names no missing permissions${where}`, async () => {
      const { answer, told } = await forbidden(true, watches, {});
      expect([answer.status, told]).to.deep.equal([403, []]);
    });
  }

  for (const watches of [false, true]) {
    const under = watches ? ', with a policy' : '';
    it(`causes a JSON-RPC error with a hint instead of a challenge${under} (world F7)`, async () => {
      for (const given of [{ forwardHeaders: OURS }, { credentials: { credentials: () => OURS } }]) {
        const { status, headers, json } = await ask({ ...given, renewal: RENEWAL }, { watches });
        expect([status, headers['www-authenticate'], json]).to.deep.equal([200, undefined, refused(401)]);
      }
    });

    it(`causes a 403 without a challenge for GET and DELETE, and notifications are dropped${under} (world F7)`, async () => {
      for (const [method, body, expected] of [
        ['GET', undefined, 403],
        ['DELETE', undefined, 403],
        ['POST', '{"jsonrpc":"2.0","method":"notifications/initialized"}', 202],
      ] as const) {
        const { status, headers } = await ask({ forwardHeaders: OURS }, { watches, method, body });
        expect([status, headers['www-authenticate']], method).to.deep.equal([expected, undefined]);
      }
    });

    it(`has its challenge forwarded to a client with its own credentials${under}`, async () => {
      const mine = { Authorization: 'Bearer mine' };
      for (const [given, options] of [
        [{}, { mine, status: 401 }],
        [{}, { status: 401 }],
        [{ forwardHeaders: OURS }, { status: 403 }],
      ] as const) {
        const { status, headers } = await ask(given, { ...options, watches });
        expect([status, headers['www-authenticate']]).to.deep.equal([
          options.status,
          THEIRS['WWW-Authenticate'],
        ]);
      }
    });
  }
});
