import { createFullPolicy } from '@portolan/authorization';
import type { Kernel } from '@portolan/kernel';
import { expect } from 'chai';
import { json } from './support/responses.ts';
import { MemoryReader, row } from './support/memory-reader.ts';
import { startServer, type TestServer, untappedHooks } from './support/start-server.ts';

/** Takes `Bearer NAME` for a caller with the claims `org` acme and `role` of that name. */
const provider: Kernel['authProvider'] = {
  kind: {
    kind: 'test',
    config: { type: 'object' },
    hosts: ['registry-server'],
    identifies: true,
    create: () => provider.instance,
  },
  instance: {
    verify: async (_ctx, next) => {
      await next();
    },
    identify: (ctx) => {
      const role = ctx.get('authorization').slice('Bearer '.length);
      const overage = role === 'crowded' ? { _claim_names: { groups: 'src1' } } : {};
      return { subject: role, claims: { org: 'acme', role, ...overage } };
    },
  },
};

const ROLE_RULES = {
  superAdmin: [{ role: 'admin' }],
  manageSources: [{ role: ['sources', 'both'] }],
  manageRegistries: [{ role: ['registries', 'both'] }],
  manageEntries: [{ role: 'entries' }],
};

describe('explainToCaller with a plugin that hides entries', () => {
  let server: TestServer;
  before(async () => {
    const claims = { org: 'acme' };
    const rows = ['com.acme/shown', 'com.acme/secret'].map((name) => ({ ...row({ name }), claims }));
    server = await startServer({
      reader: new MemoryReader({ main: { rows, claims } }),
      access: { provider, policy: createFullPolicy(ROLE_RULES), roles: ROLE_RULES },
      hooks: {
        ...untappedHooks(),
        filtersEntries: true,
        filterEntries: (entries) => Promise.resolve(entries.filter(({ name }) => !name.includes('secret'))),
      },
    });
  });
  after(() => server.close());

  const explain = async (as: string, name: string) => {
    const body = JSON.stringify({ registry: 'main', entry: { type: 'server', name } });
    const headers = { authorization: `Bearer ${as}`, 'content-type': 'application/json' };
    const answer = server.get('/v1/authz/explain', { method: 'POST', headers, body });
    const { entry } = await json<{ entry: { sentence: string; sources: unknown[] } }>(answer);
    return { sentence: entry.sentence, sources: entry.sources.length };
  };

  it('describes a hidden entry like an absent one', async () => {
    const absent = await explain('reader', 'com.acme/absent');
    expect(absent).to.deep.equal({ sentence: 'No entry of this name is there for the caller.', sources: 0 });
    expect(await explain('reader', 'com.acme/secret')).to.deep.equal(absent);
  });

  it('N8 › returns skipped entries only to callers who may see the status of their source', async () => {
    const skip = { skipped: 'data.servers[3] (com.acme/bad)', because: 'It has no description.' };
    server.reader.skipped = [
      { source: 'catalog', claims: { org: 'acme' }, ...skip, by: 'sync' },
      { source: 'foreign', claims: { org: 'other' }, ...skip, by: 'sync' },
      { source: 'elsewhere', claims: { org: 'acme' }, ...skip, by: 'sync' },
    ];
    const ask = async (as: string, more: object = {}) => {
      const body = { registry: 'main', entry: { type: 'server', name: 'com.acme/bad' }, ...more };
      const headers = { authorization: `Bearer ${as}`, 'content-type': 'application/json' };
      const sent = { method: 'POST', headers, body: JSON.stringify(body) };
      const { entry } = await json<{
        entry: { sentence: string; skipped?: readonly { source: string; because: string }[] };
      }>(server.get('/v1/authz/explain', sent));
      return { sentence: entry.sentence, sources: entry.skipped?.map(({ source }) => source) };
    };
    const absent = { sentence: 'No entry of this name is there for the caller.', sources: undefined };
    // Who manages sources and no registries does not learn which sources the registry has.
    expect(await ask('sources')).to.deep.equal({
      sentence: 'Not shown: sources "catalog", "elsewhere" left it out.',
      sources: ['catalog', 'elsewhere'],
    });
    const ofRegistry = { sentence: 'Not shown: source "catalog" left it out.', sources: ['catalog'] };
    expect(await ask('both')).to.deep.equal(ofRegistry);
    expect(await ask('admin')).to.deep.equal(ofRegistry);
    expect(await ask('admin', { caller: { claims: { org: 'acme', role: 'reader' } } })).to.deep.equal(
      ofRegistry,
    );
    for (const as of ['reader', 'registries', 'entries']) expect(await ask(as), as).to.deep.equal(absent);
    server.reader.skipped = [];
    expect(await ask('admin')).to.deep.equal(absent);
  });

  it('N8 › adds a note about the filter of a source, for the same callers', async () => {
    const because = 'The filter of source "catalog" takes no entry of this name.';
    const filter = {
      source: 'catalog',
      claims: { org: 'acme' },
      skipped: 'x',
      because,
      by: 'filter',
    } as const;
    server.reader.skipped = [filter];
    const ask = async (as: string, name: string) => {
      const body = JSON.stringify({ registry: 'main', entry: { type: 'server', name } });
      const headers = { authorization: `Bearer ${as}`, 'content-type': 'application/json' };
      const sent = { method: 'POST', headers, body };
      const { notes, entry } = await json<{ notes?: readonly string[]; entry: { sentence: string } }>(
        server.get('/v1/authz/explain', sent),
      );
      return { notes, sentence: entry.sentence };
    };
    const sentence = 'No entry of this name is there for the caller.';
    for (const as of ['sources', 'both', 'admin'])
      expect(await ask(as, 'com.acme/absent'), as).to.deep.equal({ notes: [because], sentence });
    for (const as of ['reader', 'registries', 'entries'])
      expect(await ask(as, 'com.acme/absent'), as).to.deep.equal({ notes: undefined, sentence });
    expect((await ask('admin', 'com.acme/shown')).notes).to.equal(undefined);
    server.reader.skipped = [];
  });

  it('adds a note when the token of the caller has no groups (group overage)', async () => {
    const ask = async (as: string) => {
      const headers = { authorization: `Bearer ${as}`, 'content-type': 'application/json' };
      const response = server.get('/v1/authz/explain', { method: 'POST', headers, body: '{}' });
      return (await json<{ notes?: readonly string[] }>(response)).notes;
    };
    expect((await ask('crowded'))?.join()).to.match(/^The token has no groups/);
    expect(await ask('reader')).to.equal(undefined);
  });

  it('describes entries that the plugin keeps, and to a superAdmin all entries', async () => {
    expect(await explain('reader', 'com.acme/shown')).to.include({ sources: 1 });
    expect(await explain('admin', 'com.acme/secret')).to.include({ sources: 1 });
  });
});
