import { expect } from 'chai';
import type { Json } from '../../support/registry-under-test.ts';
import { onSharedServers, UNLABELLED } from './on-shared-servers.ts';
import { entryPath, newLabel, newName, type Person, readPath } from './person.ts';

const ROLES = ['sources', 'registries', 'entries'];

/** Claims of a resource, claims of the caller, and the result: the table of rule 3. */
const CONTAINMENT: readonly (readonly [row: string, resource: Json, caller: Json, allowed: boolean])[] = [
  [
    '"one key org" | "org same value plus team" | Allowed',
    { org: 'acme' },
    { org: 'acme', team: 'eng' },
    true,
  ],
  ['"org and team" | "only org" | Denied', { org: 'acme', team: 'eng' }, { org: 'acme' }, false],
  ['"none (empty)" | "any claims" | Denied', {}, { org: 'acme', team: 'eng' }, false],
  ['"org with one value" | "org with a different value" | Denied', { org: 'acme' }, { org: 'other' }, false],
  ['"superset": the same claims', { org: 'acme', team: 'eng' }, { team: 'eng', org: 'acme' }, true],
  ['"any element equals it": an array of the caller', { team: 'eng' }, { team: ['ops', 'eng'] }, true],
  ['… without the value', { team: 'eng' }, { team: ['ops', 'hr'] }, false],
  ['… of every key', { org: 'acme', team: 'eng' }, { org: ['acme', 'x'], team: ['y'] }, false],
];

/** Stored claims, claims of the caller, and whether reading and giving them is allowed. */
const VECTORS: readonly (readonly [resource: Json, caller: Json, reads: boolean, gives: boolean])[] = [
  [{ org: 'acme' }, { org: 'acme', team: 'eng' }, true, true],
  [{ org: 'acme', team: 'eng' }, { org: 'acme' }, false, false],
  [{}, { org: 'acme' }, false, false],
  [{ org: 'other' }, { org: 'acme' }, false, false],
  [{ team: ['eng', 'data'] }, { team: ['eng'] }, true, false],
  [{ team: ['eng', 'data'] }, { team: ['eng', 'data'] }, true, true],
  [{ team: 'eng' }, { team: ['eng', 'data', 'ops'] }, true, true],
  [{ team: ['eng'] }, { team: 'eng' }, true, true],
  [{ team: [] }, { team: 'eng' }, true, false],
  [{ team: [] }, { org: 'acme' }, false, false],
  [{ level: '3' }, { level: 3 }, false, false],
  [{ org: 'acme' }, { Org: 'acme' }, false, false],
  [{ org: 'acme' }, { org: 'Acme' }, false, false],
];

onSharedServers('section 2, claims of resources', 'full', (scene) => {
  for (const [row, resource, caller, allowed] of CONTAINMENT) {
    it(`"the caller's claims must be a superset of the resource's claims": ${row}`, async () => {
      const { person, admin } = scene();
      const label = newLabel();
      await admin.must('PUT', `/v1/sources/${label}`, { managed: {}, claims: resource });
      await admin.must('PUT', `/v1/registries/${label}`, { sources: ['published'], claims: resource });
      const name = await admin.published(resource);
      const who = person({ any: 'x', role: ROLES, ...caller });
      const hidden = allowed ? 200 : 404;
      expect(await who.asks('GET', readPath(name, 'latest', 'everyone')), 'entry').to.equal(hidden);
      expect(await who.asks('GET', `/v1/sources/${label}`), 'source').to.equal(hidden);
      expect(await who.asks('GET', `/v1/registries/${label}`), 'registry').to.equal(hidden);
      const gate = await who.asks('GET', `/registry/${label}/v0.1/servers`);
      expect(gate, 'gate').to.equal(allowed ? 200 : 403);
    });
  }

  for (const [resource, caller, reads, gives] of VECTORS) {
    const texts = [JSON.stringify(caller), JSON.stringify(resource)];
    it(`${texts.join(' ')}: ${reads ? 'seen' : 'hidden'}, ${gives ? 'given' : 'not given'}`, async () => {
      const { person, admin } = scene();
      const stored = await admin.published(resource);
      const who = person({ any: 'x', role: ROLES, ...caller });
      const seen = await who.asks('GET', readPath(stored, 'latest', 'everyone'));
      expect(seen).to.equal(reads ? 200 : 404);
      expect((await who.listed('everyone')).includes(stored)).to.equal(reads);
      const made = await who.asks('PUT', `/v1/sources/${newLabel()}`, { managed: {}, claims: resource });
      expect(made).to.equal(gives ? 201 : 403);
    });
  }

  it('"An entry has one or more versions." "claims: Shared by every version of the entry."', async () => {
    const { person, admin } = scene();
    const name = await admin.published({ org: 'acme' });
    await admin.publish(name, { org: 'acme' }, { version: '1.1.0' });
    await admin.publish(name, undefined, { version: '2.0.0' });
    const versions = ['1.0.0', '1.1.0', '2.0.0'];
    const statuses = async (who: Person): Promise<readonly number[]> =>
      await Promise.all(versions.map((version) => who.asks('GET', readPath(name, version))));
    const acme = person({ org: 'acme' });
    const data = person({ org: 'acme', team: 'data' });
    expect(await statuses(acme)).to.deep.equal([200, 200, 200]);
    await admin.must('PUT', `${entryPath(name)}/claims`, { claims: { team: 'data' } });
    expect(await statuses(acme)).to.deep.equal([404, 404, 404]);
    expect(await statuses(data)).to.deep.equal([200, 200, 200]);
    const rows = (await admin.rawEntries('/v1/registries/main')).filter((row) => row.name === name);
    expect(rows.map(({ claims }) => claims)).to.deep.equal(versions.map(() => ({ team: 'data' })));
  });

  it('claims in a later version by a superAdmin replace those of all versions; without claims the entry keeps its own', async () => {
    const { admin } = scene();
    const name = await admin.published({ org: 'acme' });
    await admin.publish(name, undefined, { version: '1.1.0' });
    expect((await admin.get(`${entryPath(name)}/claims`)).json()).to.deep.equal({ claims: { org: 'acme' } });
    await admin.publish(name, { org: 'other' }, { version: '1.2.0' });
    expect((await admin.get(`${entryPath(name)}/claims`)).json()).to.deep.equal({ claims: { org: 'other' } });
    const rows = (await admin.rawEntries('/v1/registries/main')).filter((row) => row.name === name);
    expect(rows.map(({ claims }) => claims)).to.deep.equal([1, 2, 3].map(() => ({ org: 'other' })));
  });

  it('"a claim value is a string", or a list of strings; every other type is 400 wherever claims are set', async () => {
    const { admin } = scene();
    const name = await admin.published({ org: 'acme' });
    const bad = [
      { a: 1 },
      { a: true },
      { a: null },
      { a: {} },
      { a: ['x', 1] },
      { a: [['x']] },
      { '': 'x' },
      [],
      'x',
      7,
    ];
    for (const claims of bad) {
      const about = JSON.stringify(claims);
      expect(await admin.asks('PUT', `/v1/sources/${newLabel()}`, { managed: {}, claims }), about).to.equal(
        400,
      );
      const registry = { sources: ['published'], claims };
      expect(await admin.asks('PUT', `/v1/registries/${newLabel()}`, registry), about).to.equal(400);
      expect((await admin.publish(newName(), claims)).status, about).to.equal(400);
      expect(await admin.asks('PUT', `${entryPath(name)}/claims`, { claims }), about).to.equal(400);
    }
  });

  it('"a source, registry or entry with no claims is invisible to every authenticated caller except a superAdmin"', async () => {
    const { person, admin } = scene();
    await admin.awaits(UNLABELLED);
    const name = await admin.published(undefined);
    const who = person({ org: 'acme', any: ['x'], team: 'eng', role: ROLES });
    expect(await who.administers('sources')).to.not.include('unlabelled');
    expect(await who.administers('registries')).to.not.include('bare');
    expect(await who.listed('main')).to.not.include(name);
    expect(await who.listed('main')).to.not.include(UNLABELLED);
    const paths = [
      '/v1/sources/unlabelled',
      '/v1/sources/unlabelled/entries',
      '/v1/registries/bare',
      '/v1/registries/bare/entries',
      `${entryPath(name)}/claims`,
      readPath(name).replace('/latest', ''),
      readPath(name),
      readPath(name, '1.0.0'),
      readPath(UNLABELLED),
    ];
    for (const path of paths) {
      expect(await who.asks('GET', path), path).to.equal(404);
      expect(await admin.asks('GET', path), path).to.equal(200);
    }
    expect(await who.asks('GET', '/registry/bare/v0.1/servers')).to.equal(403);
    expect(await admin.asks('GET', '/registry/bare/v0.1/servers')).to.equal(200);
  });

  it('"a source, registry or entry with no claims": skills and plugins, too', async () => {
    const { person, admin } = scene();
    const who = person({ org: 'acme', any: ['x'] });
    for (const type of ['skill', 'plugin'] as const) {
      const list = `/registry/main/v0.1/x/dev.toolhive/${type}s`;
      const labelled = await admin.publishedExtension(type, { org: 'acme' });
      const unlabelled = await admin.publishedExtension(type, {});
      expect(await who.asks('GET', `${list}/${labelled}`), type).to.equal(200);
      for (const path of [unlabelled, `${unlabelled}/versions/1.0.0`]) {
        expect(await who.asks('GET', `${list}/${path}`), path).to.equal(404);
        expect(await admin.asks('GET', `${list}/${path}`), path).to.equal(200);
      }
      const page = (await who.must('GET', `${list}?limit=100`)).text;
      expect(page)
        .to.include(labelled.split('/')[1])
        .and.not.include(`"${unlabelled.split('/')[1]}"`);
    }
  });

  it('a source without claims accepts no publish and no registry from others than a superAdmin', async () => {
    const { person, admin } = scene();
    const source = newLabel();
    await admin.must('PUT', `/v1/sources/${source}`, { managed: {} });
    const who = person({ org: 'acme', role: ROLES });
    const registry = { sources: [source], claims: { org: 'acme' } };
    expect(await who.asks('PUT', `/v1/registries/${newLabel()}`, registry)).to.equal(403);
    expect((await who.publish(newName(), { org: 'acme' }, { source })).status).to.equal(403);
    expect(await admin.asks('PUT', `/v1/registries/${newLabel()}`, registry)).to.equal(201);
    expect((await admin.publish(newName(), { org: 'acme' }, { source })).status).to.equal(201);
  });
});
