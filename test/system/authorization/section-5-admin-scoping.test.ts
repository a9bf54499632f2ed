import { expect } from 'chai';
import type { Json } from '../../support/registry-under-test.ts';
import { onSharedServers } from './on-shared-servers.ts';
import { newLabel, type Person } from './person.ts';

const KINDS = {
  sources: (claims?: Json) => ({ managed: {}, claims }),
  registries: (claims?: Json) => ({ sources: ['published'], claims }),
} as const;

for (const what of ['sources', 'registries'] as const) {
  onSharedServers(`section 5.3, admin scoping of ${what}`, 'full', (scene) => {
    const definition = KINDS[what];
    const manager = (claims: Json = { org: 'acme', team: ['eng', 'data'] }): Person =>
      scene().person({ role: ['sources', 'registries'], ...claims });
    const made = async (claims: Json | undefined): Promise<string> => {
      const path = `/v1/${what}/${newLabel()}`;
      await scene().admin.must('PUT', path, definition(claims));
      return path;
    };
    const nameOf = (path: string): string => path.split('/').at(-1) ?? '';

    it('"Listing … returns only resources whose claims the caller\'s JWT satisfies."', async () => {
      const own = await made({ org: 'acme' });
      const oneOf = await made({ team: ['data', 'ops'] });
      const hidden = [
        await made({ org: 'other' }),
        await made({ org: 'acme', team: 'ops' }),
        await made(undefined),
      ];
      const names = await manager().administers(what);
      expect(names).to.include.members([own, oneOf].map(nameOf));
      for (const path of hidden) expect(names, path).to.not.include(nameOf(path));
      expect(await manager({ org: 'nowhere' }).administers(what)).to.deep.equal([]);
      expect(await scene().admin.administers(what)).to.include.members([own, oneOf, ...hidden].map(nameOf));
    });

    it('"Get by name returns 404, never 403, when the claims do not match."', async () => {
      for (const claims of [{ org: 'other' }, { org: 'acme', team: 'ops' }, undefined]) {
        const hidden = await manager().get(await made(claims));
        expect(hidden.status, JSON.stringify(claims)).to.equal(404);
        const absent = await manager().get(`/v1/${what}/${newLabel()}`);
        expect(absent.status).to.equal(404);
        expect(hidden.json()['code']).to.equal(absent.json()['code']);
      }
      expect(await manager().asks('GET', await made({ org: 'acme' }))).to.equal(200);
    });

    it('"Listing entries of a source or registry follows the same scoping as its parent."', async () => {
      expect(await manager().asks('GET', `${await made({ org: 'acme' })}/entries`)).to.equal(200);
      for (const claims of [{ org: 'other' }, undefined])
        expect(await manager().asks('GET', `${await made(claims)}/entries`), JSON.stringify(claims)).to.equal(
          404,
        );
    });

    it('"Create: the request claims must be a subset of the caller\'s JWT claims."', async () => {
      const create = async (claims?: Json): Promise<number> =>
        await manager().asks('PUT', `/v1/${what}/${newLabel()}`, definition(claims));
      const subsets: readonly Json[] = [
        { org: 'acme' },
        { org: 'acme', team: 'eng' },
        { team: ['data', 'eng'] },
        { org: ['acme'] },
      ];
      for (const claims of subsets) expect(await create(claims), JSON.stringify(claims)).to.equal(201);
      const beyond: readonly (Json | undefined)[] = [
        { org: 'other' },
        { org: 'acme', team: 'ops' },
        { team: ['eng', 'ops'] },
        { department: 'x' },
        { team: [] },
        {},
        undefined,
      ];
      for (const claims of beyond) expect(await create(claims), JSON.stringify(claims)).to.equal(403);
    });

    it('"Update and delete: the caller\'s JWT claims must satisfy the existing resource\'s claims."', async () => {
      const own = await made({ org: 'acme' });
      expect(await manager().asks('PUT', own, definition({ team: 'eng' }))).to.equal(200);
      expect(await manager().asks('DELETE', own)).to.equal(204);
      for (const claims of [{ org: 'other' }, { org: 'acme', team: 'ops' }, undefined]) {
        const hidden = await made(claims);
        const about = JSON.stringify(claims);
        expect(await manager().asks('PUT', hidden, definition({ org: 'acme' })), about).to.equal(404);
        expect(await manager().asks('DELETE', hidden), about).to.equal(404);
        expect(await scene().admin.asks('GET', hidden), about).to.equal(200);
      }
    });

    it('an update cannot set claims beyond those of the caller either', async () => {
      const own = await made({ org: 'acme' });
      for (const claims of [{ org: 'other' }, {}, undefined])
        expect(await manager().asks('PUT', own, definition(claims)), JSON.stringify(claims)).to.equal(403);
      expect((await scene().admin.must('GET', own)).json()['claims']).to.deep.equal({ org: 'acme' });
    });

    it('claims of the request are checked before the resource, so that a hidden one looks like an absent one', async () => {
      const hidden = await made({ org: 'other' });
      const absent = `/v1/${what}/${newLabel()}`;
      for (const path of [hidden, absent])
        expect(await manager().asks('PUT', path, definition({ org: 'other' })), path).to.equal(403);
    });

    it('resources of the configuration file are read-only for every caller: 403', async () => {
      const own = `/v1/${what}/${what === 'sources' ? 'published' : 'main'}`;
      const hidden = [`/v1/${what}/abroad`, `/v1/${what}/bare`];
      const shown = (await manager().must('GET', own)).json();
      expect(shown['creationType']).to.equal('CONFIG');
      for (const who of [manager(), scene().admin]) {
        expect(await who.asks('PUT', own, definition({ org: 'acme' }))).to.equal(403);
        expect(await who.asks('DELETE', own)).to.equal(403);
      }
      for (const path of hidden) {
        expect(await manager().asks('PUT', path, definition({ org: 'acme' })), path).to.equal(404);
        expect(await manager().asks('DELETE', path), path).to.equal(404);
        expect(await scene().admin.asks('DELETE', path), path).to.equal(403);
      }
    });

    it('"superAdmin bypasses claim validation in all of the above."', async () => {
      const { admin } = scene();
      for (const claims of [{ org: 'other' }, { x: ['y', 'z'] }, undefined]) {
        const path = await made(claims);
        const about = JSON.stringify(claims);
        expect(await admin.administers(what), about).to.include(nameOf(path));
        expect(await admin.asks('GET', path), about).to.equal(200);
        expect(await admin.asks('GET', `${path}/entries`), about).to.equal(200);
        expect(await admin.asks('PUT', path, definition({ q: 'r' })), about).to.equal(200);
        expect(await admin.asks('DELETE', path), about).to.equal(204);
      }
    });
  });
}
