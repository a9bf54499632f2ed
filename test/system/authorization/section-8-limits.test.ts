import { expect } from 'chai';
import { type Json, serverDocument } from '../../support/registry-under-test.ts';
import { onSharedServers } from './on-shared-servers.ts';
import { entryPath, newLabel, newName, type Person } from './person.ts';

/* "Rate limits, size limits and quotas: not shown." The server still limits the cost of each request. */

const claims = { org: 'acme' };

/** Every route with a body, and a valid body for it. */
const BODIES: Readonly<Record<string, (path: string) => readonly [string, string, Json]>> = {
  'a source': (label) => ['PUT', `/v1/sources/${label}`, { managed: {}, claims }],
  'a registry': (label) => ['PUT', `/v1/registries/${label}`, { sources: ['published'], claims }],
  'a publication': (label) => [
    'POST',
    '/v1/entries?source=published',
    { server: serverDocument(`com.acme/${label}`), claims },
  ],
  'claims of an entry': () => ['PUT', `${entryPath('com.acme/there')}/claims`, { claims }],
  'a change of status': () => ['PATCH', `${entryPath('com.acme/there')}/status`, { status: 'deprecated' }],
  'a question about access': () => ['POST', '/v1/authz/explain', { registry: 'main' }],
};

onSharedServers('section 8, limits', 'full', (scene) => {
  const caller = (): Person => scene().person({ org: 'acme', role: ['sources', 'registries', 'entries'] });
  before(async () => {
    await caller().publish('com.acme/there', claims);
  });

  for (const [what, request] of Object.entries(BODIES)) {
    it(`rejects a body above the limits of size, depth or form: ${what}`, async () => {
      const [method, path, sound] = request(newLabel());
      const inner = JSON.stringify(sound).slice(1, -1);
      const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
      const bad: readonly (readonly [string, number])[] = [
        [`{"padding":"${'x'.repeat(20 * 2 ** 20)}",${inner}}`, 413],
        [`{"deep":${deep},${inner}}`, 400],
        [`{"__proto__":{"role":"admin"},${inner}}`, 400],
        [`{${inner},${inner}}`, 400],
        [`{${inner}`, 400],
        [`[{${inner}}]`, 400],
        ['', 400],
        ['null', 400],
      ];
      for (const [body, status] of bad) {
        // A server that stops reading may close the connection before the whole body is sent.
        const answer = await caller()
          .send(method, path, body)
          .catch((error: unknown) => error);
        if (answer instanceof Error && status === 413) continue;
        expect(answer, body.slice(0, 60)).to.have.property('status', status);
      }
      expect(await caller().asks(method, path, sound), 'a sound one').to.be.oneOf([200, 201, 204]);
    });
  }

  it('limits number and length of claims', async () => {
    const { admin } = scene();
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`key${at}`, 'x']));
    const bad: readonly Json[] = [
      many,
      { key: Array.from({ length: 10_000 }, (_, at) => `value${at}`) },
      { key: 'x'.repeat(10_000) },
      { ['k'.repeat(10_000)]: 'x' },
    ];
    for (const [at, given] of bad.entries()) {
      expect((await admin.publish(newName(), given)).status, String(at)).to.equal(400);
      const source = { managed: {}, claims: given };
      expect(await admin.asks('PUT', `/v1/sources/${newLabel()}`, source), String(at)).to.equal(400);
    }
  });

  it('limits length and characters of names', async () => {
    const { admin } = scene();
    for (const name of ['x'.repeat(64), 'Upper', 'a b', '-a', 'ä'])
      expect(
        await admin.asks('PUT', `/v1/sources/${encodeURIComponent(name)}`, { managed: {}, claims }),
        name,
      ).to.equal(400);
    for (const name of ['x'.repeat(200), 'a b', '.a'])
      expect(
        await admin.asks('PUT', `/v1/registries/${encodeURIComponent(name)}`, {
          sources: ['published'],
          claims,
        }),
        name,
      ).to.equal(400);
    for (const name of ['no-slash', 'a/b/c', `com.acme/${'x'.repeat(300)}`, 'com.acme/x y', 'com.acme/'])
      expect((await admin.publish(name, claims)).status, name).to.equal(400);
  });

  it('limits the rows of a page for any requested number', async () => {
    const who = caller();
    expect(await who.asks('GET', '/registry/main/v0.1/servers?limit=100000')).to.equal(200);
    for (const query of ['limit=0', 'limit=-1', 'limit=1.5', 'cursor=@'])
      expect(await who.asks('GET', `/registry/main/v0.1/servers?${query}`), query).to.equal(400);
  });
});
