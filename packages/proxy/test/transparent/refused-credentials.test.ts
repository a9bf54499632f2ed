import type { HttpBackend } from '@portolan/plugin-api';
import { expect } from 'chai';
import { HttpBackendUnderTest } from '../support/http-backend.ts';
import { send } from '../support/http-client.ts';
import { Proxies } from '../support/proxy-under-test.ts';

const OURS = [{ name: 'Authorization', value: 'Bearer ours' }];
const BODY = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
const THEIRS = { 'WWW-Authenticate': 'Bearer resource_metadata="https://remote.example/"' };

describe('a remote that refuses the credentials of the workload', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  async function challengeOf(given: Partial<HttpBackend>, mine = {}, status = 401, watches = false) {
    const backend = await HttpBackendUnderTest.start((_request, response) =>
      response.writeHead(status, { ...THEIRS, 'Content-Type': 'application/json' }).end('{}'),
    );
    backends.push(backend);
    const instance = { onAnswer: () => undefined };
    const { url } = await proxies.open(
      { carries: 'http', transport: 'streamable-http', target: backend.url, isRemote: true, ...given },
      watches ? { middleware: [{ name: 'watches', placed: 'observe', instance }] } : {},
    );
    const headers = { 'Content-Type': 'application/json', ...mine };
    const answer = await send(url, { method: 'POST', headers, body: BODY });
    expect(answer.status).to.equal(status);
    return answer.headers['www-authenticate'];
  }

  /** What became of a request whose first answer is 403, and of what was told of that. */
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
    const instance = { onAnswer: () => undefined };
    const { url } = await proxies.open(
      { carries: 'http', transport: 'streamable-http', target: backend.url, isRemote: true, credentials },
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
    const where = watches ? ', under policy' : '';
    it(`is asked once more where somebody has given what it lacks${where}`, async () => {
      const { answer, told, asked } = await forbidden(true, watches);
      expect([answer.status, answer.json.id, asked]).to.deep.equal([200, 1, 2]);
      expect(told).to.deep.equal([{ status: 403, challenge: THEIRS['WWW-Authenticate'] }]);
    });

    it(`is passed on whole where nobody has, without what would lead clients elsewhere${where}`, async () => {
      const { answer, told, asked } = await forbidden(false, watches);
      expect([answer.status, answer.text, asked]).to.deep.equal([403, '{"error":"too little"}', 1]);
      expect(answer.headers['www-authenticate']).to.equal(undefined);
      expect(told).to.have.lengthOf(1);
    });

    it(`and does not say what it lacks is passed on as it is${where}`, async () => {
      const { answer, told } = await forbidden(true, watches, {});
      expect([answer.status, told]).to.deep.equal([403, []]);
    });
  }

  for (const watches of [false, true]) {
    const under = watches ? ', under policy' : '';
    it(`sends no client to its own authorization server: the workload logs in${under}`, async () => {
      expect(await challengeOf({ forwardHeaders: OURS }, {}, 401, watches)).to.equal(undefined);
      expect(await challengeOf({ credentials: { credentials: () => OURS } }, {}, 401, watches)).to.equal(
        undefined,
      );
    });

    it(`says to a client with credentials of its own what it wants${under}`, async () => {
      const mine = { Authorization: 'Bearer mine' };
      expect(await challengeOf({}, mine, 401, watches)).to.equal(THEIRS['WWW-Authenticate']);
      expect(await challengeOf({}, {}, 401, watches)).to.equal(THEIRS['WWW-Authenticate']);
      expect(await challengeOf({ forwardHeaders: OURS }, {}, 403, watches)).to.equal(
        THEIRS['WWW-Authenticate'],
      );
    });
  }
});
