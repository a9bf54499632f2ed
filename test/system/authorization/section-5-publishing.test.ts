import { expect } from 'chai';
import { type Json, serverDocument } from '../../support/registry-under-test.ts';
import { onSharedServers } from './on-shared-servers.ts';
import { entryPath, newLabel, newName, type Person, readPath } from './person.ts';

onSharedServers('section 5, claims of what is published', 'full', (scene) => {
  const publisher = (more: Json = {}): Person =>
    scene().person({ any: 'x', org: 'acme', team: ['eng', 'data'], role: 'entries', ...more });
  const claimsOf = async (name: string): Promise<unknown> =>
    (await scene().admin.must('GET', `${entryPath(name)}/claims`)).json()['claims'];

  it('4.1 "A publish with no claims or an empty claims object returns 400."', async () => {
    for (const claims of [undefined, {}, null]) {
      const name = newName();
      const answer = await publisher().publish(name, claims);
      expect(answer.status, JSON.stringify(claims)).to.equal(400);
      expect(answer.json()['code']).to.equal('ERR_CLAIMS_REQUIRED');
      expect(await scene().admin.asks('GET', readPath(name))).to.equal(404);
    }
  });

  it('4.1 … also for a later version of an entry without claims', async () => {
    const name = await scene().admin.published(undefined);
    expect((await publisher().publish(name, undefined, { version: '2.0.0' })).status).to.equal(400);
  });

  it('4.2 "Publish claims must be a subset of the publisher\'s JWT claims: every key must exist in the JWT with a matching value."', async () => {
    const beyond: readonly Json[] = [
      { org: 'other' },
      { org: 'acme', team: 'ops' },
      { department: 'x' },
      { team: ['eng', 'ops'] },
      { org: ['acme', 'other'] },
      { Org: 'acme' },
    ];
    for (const claims of beyond)
      expect((await publisher().publish(newName(), claims)).status, JSON.stringify(claims)).to.equal(403);
    const subsets: readonly Json[] = [
      { org: 'acme' },
      { team: 'data' },
      { org: 'acme', team: 'eng' },
      { team: ['data', 'eng'] },
      { org: ['acme'] },
    ];
    for (const claims of subsets)
      expect((await publisher().publish(newName(), claims)).status, JSON.stringify(claims)).to.equal(201);
  });

  it('4.3 "Every later version of an entry must carry exactly the same claims as the first version"', async () => {
    const first = { org: 'acme', team: ['eng', 'data'] };
    const name = await publisher().published(first);
    const differing: readonly Json[] = [
      { org: 'acme' },
      { team: ['eng', 'data'] },
      { org: 'acme', team: 'eng' },
      { ...first, any: 'x' },
    ];
    for (const claims of differing) {
      const answer = await publisher().publish(name, claims, { version: '2.0.0' });
      expect(answer.status, JSON.stringify(claims)).to.equal(409);
      expect(answer.json()['code']).to.equal('ERR_CLAIMS_DIFFER');
    }
    const equal: readonly Json[] = [
      first,
      { team: ['data', 'eng'], org: 'acme' },
      { org: ['acme'], team: ['data', 'eng', 'data'] },
    ];
    for (const [at, claims] of equal.entries()) {
      const answer = await publisher().publish(name, claims, { version: `${at + 2}.0.0` });
      expect(answer.status, JSON.stringify(claims)).to.equal(201);
    }
    expect(await publisher().asks('GET', readPath(name, '4.0.0'))).to.equal(200);
  });

  it('4.3 "(if the first had none, later ones have none)"', async () => {
    const { admin } = scene();
    const name = await admin.published(undefined);
    const answer = await publisher().publish(name, { org: 'acme' }, { version: '2.0.0' });
    expect(answer.status).to.equal(409);
    expect((await admin.publish(name, undefined, { version: '2.0.0' })).status).to.equal(201);
    expect(await claimsOf(name)).to.deep.equal({});
    expect(await publisher().asks('GET', readPath(name, '2.0.0'))).to.equal(404);
  });

  it('4.3 for a superAdmin other claims are accepted, and become those of all versions', async () => {
    const { admin } = scene();
    const name = await publisher().published({ org: 'acme' });
    expect((await admin.publish(name, undefined, { version: '2.0.0' })).status).to.equal(201);
    expect(await claimsOf(name)).to.deep.equal({ org: 'acme' });
    expect((await admin.publish(name, { org: 'other' }, { version: '3.0.0' })).status).to.equal(201);
    expect(await claimsOf(name)).to.deep.equal({ org: 'other' });
    for (const version of ['1.0.0', '2.0.0', '3.0.0'])
      expect(await publisher().asks('GET', readPath(name, version)), version).to.equal(404);
  });

  it('4.3 after a change through the claims endpoint, later versions must repeat the new claims', async () => {
    const name = await publisher().published({ org: 'acme' });
    await publisher().must('PUT', `${entryPath(name)}/claims`, { claims: { team: 'eng' } });
    expect((await publisher().publish(name, { org: 'acme' }, { version: '2.0.0' })).status).to.equal(409);
    expect((await publisher().publish(name, { team: 'eng' }, { version: '2.0.0' })).status).to.equal(201);
  });

  it('a publish of an existing version responds 409 to every publisher', async () => {
    const name = await publisher().published({ org: 'acme' });
    for (const who of [publisher(), scene().admin]) {
      const answer = await who.publish(name, { org: 'acme' });
      expect(answer.status).to.equal(409);
      expect(answer.json()['code']).to.equal('ERR_VERSION_EXISTS');
    }
    expect(await claimsOf(name)).to.deep.equal({ org: 'acme' });
  });

  it('a refused publish of a superAdmin changes no claims', async () => {
    const name = await publisher().published({ org: 'acme' });
    expect((await scene().admin.publish(name, { org: 'other' })).status).to.equal(409);
    expect(await claimsOf(name)).to.deep.equal({ org: 'acme' });
  });

  it('a managed source without claims, or with claims that the publisher does not satisfy, responds 403 (reference 845, 849)', async () => {
    for (const source of ['abroad', 'bare']) {
      const answer = await publisher().publish(newName(), { org: 'acme' }, { source });
      expect(answer.status, source).to.equal(403);
      expect((await scene().admin.publish(newName(), { org: 'acme' }, { source })).status, source).to.equal(
        201,
      );
    }
  });

  it('checks run in order: document, claims of the request, source, entry', async () => {
    const name = await publisher().published({ org: 'acme' });
    const stranger = scene().person({ org: 'other', role: 'entries' });
    const table: readonly (readonly [Person, Json, string, number])[] = [
      [publisher(), { server: { name }, claims: {} }, 'published', 400],
      [
        publisher(),
        { server: { ...serverDocument(name), name: 'x' }, claims: { org: 'other' } },
        'abroad',
        400,
      ],
      [publisher(), { server: serverDocument(name), claims: { org: 'other' } }, 'published', 403],
      [stranger, { server: serverDocument(name), claims: { org: 'other' } }, 'published', 403],
      [publisher(), { server: serverDocument(name), claims: { team: 'eng' } }, 'published', 409],
    ];
    for (const [who, body, source, status] of table)
      expect(await who.asks('POST', `/v1/entries?source=${source}`, body), JSON.stringify(body)).to.equal(
        status,
      );
  });

  it('5 "the caller\'s JWT claims must satisfy both the entry\'s existing claims and the new claims being set"', async () => {
    const { admin } = scene();
    const set = async (name: string, claims: Json, who = publisher()): Promise<number> =>
      await who.asks('PUT', `${entryPath(name)}/claims`, { claims });
    const own = await publisher().published({ org: 'acme' });
    expect(await set(own, { team: ['eng', 'data'] }), 'both').to.equal(204);
    expect(await set(own, { team: 'ops' }), 'not the new ones').to.equal(403);
    expect(await set(own, { team: ['eng', 'ops'] }), 'not all of the new ones').to.equal(403);
    expect(await claimsOf(own)).to.deep.equal({ team: ['data', 'eng'] });
    const hidden = await admin.published({ org: 'other' });
    expect(await set(hidden, { org: 'acme' }), 'not the existing ones').to.equal(404);
    expect(await set(hidden, { org: 'other' }), 'neither').to.equal(403);
    const unlabelled = await admin.published(undefined);
    expect(await set(unlabelled, { org: 'acme' }), 'unlabelled').to.equal(404);
    expect(await set('com.acme/absent', { org: 'acme' }), 'absent').to.equal(404);
    expect(await claimsOf(hidden)).to.deep.equal({ org: 'other' });
    expect(await claimsOf(unlabelled)).to.deep.equal({});
  });

  it('5 the caller needs one value of a list in the existing claims, and every value of the new claims', async () => {
    const shared = await scene().admin.published({ team: ['eng', 'ops'] });
    const path = `${entryPath(shared)}/claims`;
    expect(await publisher().asks('GET', path)).to.equal(200);
    expect(await publisher().asks('PUT', path, { claims: { team: ['eng', 'ops'] } })).to.equal(403);
    expect(await publisher().asks('PUT', path, { claims: { team: ['eng', 'data'] } })).to.equal(204);
  });

  it('6 "superAdmin bypasses claim validation in all of the above."', async () => {
    const { admin } = scene();
    const name = await admin.published(undefined);
    for (const claims of [{ org: 'x' }, { y: ['z', 'q'] }, {}])
      expect(
        await admin.asks('PUT', `${entryPath(name)}/claims`, { claims }),
        JSON.stringify(claims),
      ).to.equal(204);
    expect(await admin.asks('DELETE', `${entryPath(name)}/versions/1.0.0`)).to.equal(204);
  });

  it('of two concurrent first publishers of a name exactly one sets its claims', async () => {
    for (let round = 0; round < 5; round += 1) {
      const name = `com.acme/race-${newLabel()}`;
      const answers = await Promise.all([
        publisher().publish(name, { org: 'acme' }, { version: '1.0.0' }),
        publisher().publish(name, { team: 'eng' }, { version: '2.0.0' }),
      ]);
      expect(answers.map(({ status }) => status)).to.have.members([201, 409]);
    }
  });
});
