import { expect } from 'chai';
import { RegistryUnderTest, type RequestOptions, serverDocument } from '../../support/registry-under-test.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import { ENGINES, POSTGRES } from '../../support/test-database.ts';

const SOURCES = [{ name: 'published', managed: {}, claims: { org: 'acme' } }];
const CONFIG = {
  sources: SOURCES,
  registries: [{ name: 'main', sources: ['published'], claims: { org: 'acme' } }],
};
const LIST = '/registry/main/v0.1/servers';
const ENTRY = '/v1/entries/server/com.acme%2Fnotes';

for (const engine of ENGINES) {
  describe(`two server processes on one ${engine} database`, function () {
    this.timeout(180_000);
    let first: RegistryUnderTest;
    let second: RegistryUnderTest;
    let admin: RequestOptions;
    let caller: RequestOptions;
    before(async function () {
      if (engine === 'PostgreSQL' && POSTGRES === undefined)
        skipSuite(this, 'PORTOLAN_TEST_POSTGRES_URL names no server');
      first = await RegistryUnderTest.start({ engine, mode: 'full', config: CONFIG });
      second = await RegistryUnderTest.start({ engine, mode: 'full', config: CONFIG, beside: first });
      admin = { token: first.token({ role: 'admin' }) };
      caller = { token: first.token({ org: 'acme', team: 'eng' }) };
      const body = { server: serverDocument('com.acme/notes'), claims: { org: 'acme' } };
      expect(await first.status('POST', '/v1/entries', { ...admin, body })).to.equal(201);
    });
    after(async () => {
      await second?.close();
      await first?.close();
    });

    const setClaims = async (by: RegistryUnderTest, claims: object) =>
      expect(await by.status('PUT', `${ENTRY}/claims`, { ...admin, body: { claims } })).to.equal(204);
    const countSeen = async (by: RegistryUnderTest) =>
      (await by.send('GET', LIST, caller)).json<{ servers: readonly unknown[] }>().servers.length;

    it('apply a change of claims at the other process as soon as the first one has responded', async () => {
      for (let round = 0; round < 25; round += 1) {
        const [writer, reader] = round % 2 === 0 ? [first, second] : [second, first];
        // Before each change, both servers have the page in their caches.
        expect(await countSeen(first)).to.equal(1);
        expect(await countSeen(second)).to.equal(1);
        await setClaims(writer, { org: 'other' });
        expect(await countSeen(reader), `round ${round}, hidden`).to.equal(0);
        expect(await reader.status('GET', `${LIST}/com.acme%2Fnotes/versions/latest`, caller)).to.equal(404);
        await setClaims(writer, { org: 'acme' });
        expect(await countSeen(reader), `round ${round}, shown again`).to.equal(1);
      }
    });

    it('apply a change of a registry at the other process', async () => {
      const body = { sources: ['published'], claims: { org: 'acme' } };
      expect(await first.status('PUT', '/v1/registries/team', { ...admin, body })).to.equal(201);
      expect(await second.status('GET', '/registry/team/v0.1/servers', caller)).to.equal(200);
      const closed = { ...body, claims: { org: 'acme', team: 'data' } };
      expect(await second.status('PUT', '/v1/registries/team', { ...admin, body: closed })).to.equal(200);
      expect(await first.status('GET', '/registry/team/v0.1/servers', caller)).to.equal(403);
      expect(await first.status('DELETE', '/v1/registries/team', admin)).to.equal(204);
      expect(await second.status('GET', '/registry/team/v0.1/servers', caller)).to.equal(404);
    });

    it('let exactly one of two concurrent publishers of a version win', async () => {
      for (let round = 0; round < 10; round += 1) {
        const body = { server: serverDocument('com.acme/race', `${round}.0.0`), claims: { org: 'acme' } };
        const statuses = await Promise.all(
          [first, second, first, second].map((server) =>
            server.status('POST', '/v1/entries', { ...admin, body }),
          ),
        );
        expect(statuses).to.have.members([201, 409, 409, 409]);
      }
    });

    it('apply the configuration of a third process that starts with a new file', async () => {
      expect(await countSeen(first)).to.be.above(0);
      const registries = [{ name: 'main', sources: ['published'], claims: { org: 'acme', team: 'data' } }];
      const third = await RegistryUnderTest.start({
        engine,
        mode: 'full',
        config: { sources: SOURCES, registries },
        beside: first,
      });
      try {
        expect(await first.status('GET', LIST, caller)).to.equal(403);
        expect(await second.status('GET', LIST, caller)).to.equal(403);
      } finally {
        await third.close();
      }
    });
  });
}
