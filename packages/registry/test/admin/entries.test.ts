import { expect } from 'chai';
import type { ResourceClaims } from '@portolan/plugin-api';
import type { Actor } from '@portolan/registry';
import { describeAdmin } from '../support/admin-suite.ts';
import {
  codeOf,
  gitSource,
  holding,
  managedSource,
  nobody,
  refusal,
  serverOf,
  skillOf,
  superAdmin,
  UNCHECKED,
} from '../support/actors.ts';
import { fill } from '../support/fill.ts';

const ACME = { org: 'acme' };
const acme = holding({ org: 'acme', team: 'eng' });
const other = holding({ org: 'other' });
const X = { type: 'server', name: 'acme/x' } as const;

describeAdmin('RegistryAdmin: entries', (bench) => {
  beforeEach(async () => {
    await bench.admin.putSource(superAdmin, 'mine', managedSource({ claims: ACME }));
    await bench.admin.putRegistry(superAdmin, 'main', { sources: ['mine'], claims: {} });
  });

  const publish = (name: string, version = '1.0.0', claims: ResourceClaims = ACME, source = 'mine') =>
    bench.admin.publish(superAdmin, { ...serverOf(name, version), claims, source });
  const versions = async () =>
    (await bench.rows()).map((row) => `${row.version} ${row.status}${row.isLatest ? ' latest' : ''}`);

  /** Every operation on an entry, as one caller. */
  const operations = (actor: Actor, entry: { type: 'server' | 'skill'; name: string; source?: string }) =>
    [
      ['getEntry', () => bench.admin.getEntry(actor, entry)],
      ['getEntryClaims', () => bench.admin.getEntryClaims(actor, entry)],
      ['setEntryClaims', () => bench.admin.setEntryClaims(actor, entry, ACME)],
      ['setStatus', () => bench.admin.setStatus(actor, entry, { status: 'deprecated' })],
      [
        'setStatus of a version',
        () => bench.admin.setStatus(actor, entry, { status: 'deleted', version: '1.0.0' }),
      ],
      ['deleteVersion', () => bench.admin.deleteVersion(actor, entry, '1.0.0')],
    ] as const;

  it('every operation › treats a hidden entry like an absent one', async () => {
    const synced = await bench.admin.putSource(superAdmin, 'docs', gitSource({ claims: ACME }));
    await fill(bench.store, synced.source.id, [{ name: 'acme/synced', version: '1.0.0' }]);
    await publish('acme/hidden', '1.0.0', { org: 'other' });
    await publish('acme/bare', '1.0.0', {});
    const absent = operations(acme, { type: 'server', name: 'acme/absent' });
    for (const name of ['acme/hidden', 'acme/bare', 'acme/synced', 'acme/hid\0den']) {
      for (const [at, [title, run]] of operations(acme, { type: 'server', name }).entries()) {
        const expected = await refusal(absent[at]?.[1]() ?? Promise.resolve());
        expect(expected.code, title).to.equal('ERR_ENTRY_NOT_FOUND');
        const found = await refusal(run());
        expect(found.message.replace(name, 'acme/absent'), `${title} ${name}`).to.equal(expected.message);
        expect(found.code).to.equal(expected.code);
      }
    }
    for (const [title, run] of operations(holding({ ...ACME }), { ...X, source: 'nowhere' }))
      expect(await codeOf(run()), title).to.equal('ERR_ENTRY_NOT_FOUND');
  });

  for (const [who, actor] of UNCHECKED) {
    it(`every operation › is open to ${who}`, async () => {
      await publish('acme/x', '1.0.0', {});
      for (const [title, run] of operations(actor, X)) expect(await codeOf(run()), title).to.equal('none');
    });
  }

  describe('deleteVersion', () => {
    it('deletes the version, moves latest, and deletes the entry with its last version', async () => {
      for (const version of ['1.0.0', '1.2.0', '1.1.0']) await publish('acme/x', version);
      await bench.admin.deleteVersion(acme, X, '1.2.0');
      expect(await versions()).to.deep.equal(['1.0.0 active', '1.1.0 active latest']);
      const revision = (await bench.admin.getEntryClaims(acme, X)).revision;
      await bench.admin.deleteVersion(acme, X, '1.0.0', { ifMatch: [revision] });
      await bench.admin.deleteVersion(acme, X, '1.1.0');
      expect(await bench.store.reading.selectFrom('entry').selectAll().execute()).to.deep.equal([]);
      expect((await bench.admin.getSource(superAdmin, 'mine')).status.serverCount).to.equal(0);
      expect(await codeOf(bench.admin.getEntryClaims(superAdmin, X))).to.equal('ERR_ENTRY_NOT_FOUND');
      await publish('acme/x', '1.2.0', { org: 'other' });
      expect(await versions(), 'the version is free again, and so are the claims').to.deep.equal([
        '1.2.0 active latest',
      ]);
    });

    it('throws for `latest`, an absent version and an outdated revision', async () => {
      await publish('acme/x');
      for (const version of ['latest', '2.0.0'])
        expect(await codeOf(bench.admin.deleteVersion(acme, X, version))).to.equal('ERR_ENTRY_NOT_FOUND');
      expect(await codeOf(bench.admin.deleteVersion(acme, X, '1.0.0', { ifMatch: ['x'] }))).to.equal(
        'ERR_REVISION_CHANGED',
      );
      expect(await versions()).to.deep.equal(['1.0.0 active latest']);
    });

    it('leaves latest at the highest withdrawn version when no other version remains', async () => {
      for (const version of ['1.0.0', '1.1.0', '2.0.0']) await publish('acme/x', version);
      for (const version of ['1.0.0', '1.1.0'])
        await bench.admin.setStatus(acme, X, { status: 'deleted', version });
      await bench.admin.deleteVersion(acme, X, '2.0.0');
      expect(await versions()).to.deep.equal(['1.0.0 deleted', '1.1.0 deleted latest']);
    });
  });

  describe('setStatus', () => {
    it('changes one version, and moves latest away from a withdrawn one and back (official registry 104, 416, 994)', async () => {
      for (const version of ['1.0.0', '2.0.0']) await publish('acme/x', version);
      bench.now = new Date('2026-03-02T12:00:00.000Z');
      const [row, ...more] = await bench.admin.setStatus(acme, X, {
        status: 'deleted',
        message: 'broken',
        version: '2.0.0',
      });
      expect(more).to.deep.equal([]);
      expect(row).to.include({
        version: '2.0.0',
        status: 'deleted',
        statusMessage: 'broken',
        statusChangedAt: bench.now.toISOString(),
        updatedAt: bench.now.toISOString(),
        publishedAt: '2026-03-01T12:00:00.000Z',
        isLatest: false,
      });
      expect(await versions()).to.deep.equal(['1.0.0 active latest', '2.0.0 deleted']);
      expect(await codeOf(publish('acme/x', '2.0.0')), 'the version stays taken').to.equal(
        'ERR_VERSION_EXISTS',
      );
      const [restored] = await bench.admin.setStatus(acme, X, { status: 'active', version: '2.0.0' });
      expect(restored).to.include({ isLatest: true, statusMessage: undefined });
      expect(await versions()).to.deep.equal(['1.0.0 active', '2.0.0 active latest']);
    });

    it('changes all versions, and returns those that it changed', async () => {
      for (const version of ['1.0.0', '2.0.0', '3.0.0']) await publish('acme/x', version);
      await bench.admin.setStatus(acme, X, { status: 'deprecated', version: '2.0.0' });
      const rows = await bench.admin.setStatus(acme, X, { status: 'deprecated' });
      expect(rows.map((row) => row.version)).to.deep.equal(['3.0.0', '1.0.0']);
      const again = await bench.admin.setStatus(acme, X, { status: 'deprecated', message: 'Use acme/y' });
      expect(again.map((row) => row.statusMessage)).to.deep.equal(['Use acme/y', 'Use acme/y', 'Use acme/y']);
      await bench.admin.setStatus(acme, X, { status: 'deleted' });
      expect(await versions()).to.deep.equal(['1.0.0 deleted', '2.0.0 deleted', '3.0.0 deleted latest']);
    });

    it('keeps an omitted message, removes it for null, and does not count that as a status change', async () => {
      await publish('acme/x');
      const set = async (change: object) =>
        (await bench.admin.setStatus(acme, X, { status: 'deprecated', ...change }))[0];
      const first = await set({ message: 'one' });
      bench.now = new Date('2026-03-02T12:00:00.000Z');
      expect(await set({ status: 'deleted' })).to.include({ statusMessage: 'one' });
      expect(await set({})).to.include({ statusMessage: 'one' });
      bench.now = new Date('2026-03-03T12:00:00.000Z');
      const last = await set({ message: null });
      expect(last?.statusMessage).to.equal(undefined);
      expect(last?.statusChangedAt).to.equal('2026-03-02T12:00:00.000Z');
      expect(first?.statusChangedAt).to.equal('2026-03-01T12:00:00.000Z');
    });

    it('throws ERR_STATUS_INVALID for an unchanged status and an invalid message', async () => {
      await publish('acme/x');
      await publish('acme/x', '2.0.0');
      const set = (change: object, entry: { type: 'server' | 'skill'; name: string } = X) =>
        codeOf(bench.admin.setStatus(acme, entry, { status: 'deprecated', ...change }));
      expect(await set({ status: 'active' })).to.equal('ERR_STATUS_INVALID');
      expect(await set({ version: '1.0.0', message: 'a' })).to.equal('none');
      expect(await set({ version: '1.0.0', message: 'a' })).to.equal('ERR_STATUS_INVALID');
      expect(await set({ version: '1.0.0' })).to.equal('ERR_STATUS_INVALID');
      expect(await set({ message: 'a' }), 'the other one changes').to.equal('none');
      expect(await set({ message: 'x'.repeat(501) })).to.equal('ERR_STATUS_INVALID');
      expect(await set({ message: '😀'.repeat(500) })).to.equal('none');
      expect(await set({ status: 'active', message: 'why' })).to.equal('ERR_STATUS_INVALID');
      expect(await set({ status: 'active', message: null })).to.equal('none');
      expect(await set({ status: 'archived' })).to.equal('ERR_STATUS_INVALID');
      expect(await set({ version: '9.0.0' })).to.equal('ERR_ENTRY_NOT_FOUND');
      expect(await set({ message: 'a\0b' })).to.equal('none');
      await bench.admin.publish(superAdmin, { ...skillOf('acme.tools', 'notes'), claims: ACME });
      expect(await set({ status: 'archived' }, { type: 'skill', name: 'notes' })).to.equal('none');
    });

    it('is visible to readers with their next query', async () => {
      await publish('acme/x');
      const before = (await bench.reader.catalog()).registries.get('main')?.epoch;
      await bench.admin.setStatus(acme, X, { status: 'deprecated' });
      expect((await bench.reader.catalog()).registries.get('main')?.epoch).to.not.equal(before);
    });
  });

  describe('setEntryClaims', () => {
    it('changes the claims and the revision of every version', async () => {
      for (const version of ['1.0.0', '2.0.0']) await publish('acme/x', version);
      const before = await bench.admin.getEntryClaims(acme, X);
      expect(before.claims).to.deep.equal(ACME);
      const after = await bench.admin.setEntryClaims(
        acme,
        X,
        { team: 'eng' },
        { ifMatch: [before.revision] },
      );
      expect(after).to.deep.equal(await bench.admin.getEntryClaims(acme, X));
      expect(after.revision).to.not.equal(before.revision);
      expect((await bench.rows()).map((row) => row.claims)).to.deep.equal([{ team: 'eng' }, { team: 'eng' }]);
      expect(
        await codeOf(bench.admin.setEntryClaims(acme, X, ACME, { ifMatch: [before.revision] })),
      ).to.equal('ERR_REVISION_CHANGED');
      const same = await bench.admin.setEntryClaims(acme, X, { team: ['eng'] });
      expect(same.revision, 'nothing has changed').to.equal(after.revision);
    });

    it('checks the new claims before the existing ones', async () => {
      await publish('acme/x');
      await publish('acme/bare', '1.0.0', {});
      const set = (actor: Actor, name: string, claims: ResourceClaims) =>
        codeOf(bench.admin.setEntryClaims(actor, { type: 'server', name }, claims));
      expect(await set(acme, 'acme/absent', { org: 'other' })).to.equal('ERR_CLAIMS_BEYOND_CALLER');
      expect(await set(acme, 'acme/x', { org: 'other' })).to.equal('ERR_CLAIMS_BEYOND_CALLER');
      expect(await set(acme, 'acme/x', {})).to.equal('ERR_CLAIMS_BEYOND_CALLER');
      expect(await set(other, 'acme/x', { org: 'other' })).to.equal('ERR_ENTRY_NOT_FOUND');
      expect(await set(acme, 'acme/bare', ACME)).to.equal('ERR_ENTRY_NOT_FOUND');
      expect(await set(nobody, 'acme/x', ACME)).to.equal('ERR_CLAIMS_BEYOND_CALLER');
      expect(await set(superAdmin, 'acme/bare', ACME)).to.equal('none');
      expect(await set(superAdmin, 'acme/x', {})).to.equal('none');
    });
  });

  describe('names of entries', () => {
    const skill = (namespace: string, claims: ResourceClaims = ACME, source = 'mine') =>
      bench.admin.publish(superAdmin, { ...skillOf(namespace, 'notes'), claims, source });
    const notes = { type: 'skill', name: 'notes' } as const;

    it('skill › may be a bare name while one visible entry has it', async () => {
      await skill('acme.tools');
      expect((await bench.admin.getEntryClaims(acme, notes)).claims).to.deep.equal(ACME);
      await skill('other.tools', { org: 'other' });
      expect((await bench.admin.getEntryClaims(acme, notes)).claims).to.deep.equal(ACME);
      const { code, message } = await refusal(bench.admin.getEntryClaims(superAdmin, notes));
      expect(code).to.equal('ERR_ENTRY_AMBIGUOUS');
      expect(message).to.contain('acme.tools/notes').and.contain('other.tools/notes');
      await bench.admin.getEntryClaims(superAdmin, { type: 'skill', name: 'other.tools/notes' });
      for (const name of ['Notes', 'note_', '%', 'otes', ''])
        expect(await codeOf(bench.admin.getEntryClaims(acme, { type: 'skill', name }))).to.equal(
          'ERR_ENTRY_NOT_FOUND',
        );
      expect(await codeOf(bench.admin.getEntryClaims(acme, { type: 'plugin', name: 'notes' }))).to.equal(
        'ERR_ENTRY_NOT_FOUND',
      );
    });

    it('in several managed sources › need the source, unless only one is visible', async () => {
      await bench.admin.putSource(superAdmin, 'second', managedSource({ claims: { org: 'other' } }));
      await publish('acme/x');
      await publish('acme/x', '1.0.0', { org: 'other' }, 'second');
      expect(await codeOf(bench.admin.getEntryClaims(superAdmin, X))).to.equal('ERR_ENTRY_AMBIGUOUS');
      expect((await bench.admin.getEntryClaims(other, X)).claims).to.deep.equal({ org: 'other' });
      const named = await bench.admin.getEntryClaims(superAdmin, { ...X, source: 'second' });
      expect(named.claims).to.deep.equal({ org: 'other' });
      await bench.admin.deleteVersion(superAdmin, { ...X, source: 'second' }, '1.0.0');
      expect((await bench.admin.getEntryClaims(superAdmin, X)).claims).to.deep.equal(ACME);
    });
  });

  describe('getEntry', () => {
    it('returns all versions, highest first, with status, message, claims and source', async () => {
      await publish('acme/x');
      await publish('acme/x', '1.2.0');
      await bench.admin.setStatus(superAdmin, X, { status: 'deleted', version: '1.0.0', message: 'Leaks' });
      const { revision, versions: all, ...entry } = await bench.admin.getEntry(acme, X);
      expect(entry).to.deep.equal({ ...X, source: 'mine', claims: ACME });
      expect(revision).to.equal((await bench.admin.getEntryClaims(acme, X)).revision);
      expect(
        all.map(({ version, status, statusMessage, isLatest }) => [version, status, statusMessage, isLatest]),
      ).to.deep.equal([
        ['1.2.0', 'active', undefined, true],
        ['1.0.0', 'deleted', 'Leaks', false],
      ]);
    });

    it('returns the versions that the filter keeps, and throws when it keeps none', async () => {
      await publish('acme/x');
      await publish('acme/x', '1.2.0');
      const { versions: left } = await bench.admin.getEntry(acme, X, (entries) =>
        Promise.resolve(entries.filter(({ version }) => version === '1.0.0')),
      );
      expect(left.map(({ version }) => version)).to.deep.equal(['1.0.0']);
      const none = bench.admin.getEntry(acme, X, () => Promise.resolve([]));
      expect(await codeOf(none)).to.equal('ERR_ENTRY_NOT_FOUND');
    });
  });
});
