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

  for (const watches of [false, true]) {
    const under = watches ? ', under policy' : '';
    it(`sends no client to its own authorization server: the workload logs in${under}`, async () => {
      expect(await challengeOf({ forwardHeaders: OURS }, {}, 401, watches)).to.equal(undefined);
      expect(await challengeOf({ credentials: () => OURS }, {}, 401, watches)).to.equal(undefined);
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
