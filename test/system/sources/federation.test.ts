import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { GitBench } from '../../../plugins/source-git/test/git-bench.ts';
import { CountingRegistry, type Json } from '../../support/counting-registry.ts';
import { catalogueOf, catalogueRows, type CatalogueRow } from '../../support/generated-catalogue.ts';
import { RegistryUnderTest, serverDocument } from '../../support/registry-under-test.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import { limitMs, trials } from '../../support/soak.ts';
import { ENGINES, POSTGRES } from '../../support/test-database.ts';

/*
 * Registries that read each other, as processes: a third one shows what the first does, and no cycle keeps
 * deleted entries.
 */

const VERSIONS = ['1.0.0', '1.1.0', '2.0.0', 'nightly'] as const;
/**
 * Published names and names in git. The names in the middle are in both, where the published ones have
 * precedence.
 */
const PUBLISHED = ['a', 'b', 'c'] as const;
const IN_GIT = ['b', 'c', 'd', 'e'] as const;
const PAGE = 50;

const at = { name: fc.constantFrom(...PUBLISHED), version: fc.constantFrom(...VERSIONS) };
const team = fc.constantFrom('a', 'b');
const anyChange = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('push'), rows: catalogueRows(IN_GIT, VERSIONS) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('publish'), ...at, team }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('status'),
      ...at,
      status: fc.constantFrom('active', 'deprecated', 'deleted'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete'), ...at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('relabel'), name: at.name, team }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('look'), full: fc.boolean() }) },
);

const READER = { org: 'acme', team: 'a' } as const;

for (const engine of ENGINES) {
  describe(`registries that sync from registries, on ${engine}`, function () {
    // The cases use three processes with two databases each, on a machine that may be busy.
    this.timeout(limitMs(300_000));

    const opened: { close(): Promise<void> }[] = [];
    before(function () {
      if (engine === 'PostgreSQL' && POSTGRES === undefined)
        skipSuite(this, 'PORTOLAN_TEST_POSTGRES_URL names no server');
    });
    afterEach(async () => {
      for (const one of opened.splice(0).toReversed()) await one.close();
    });

    function keep<T extends { close(): Promise<void> }>(one: T): T {
      opened.push(one);
      return one;
    }

    /** Starts a server with roles and claims. The entries of `own` are published. */
    async function startWithClaims(config: Json, sources: readonly Json[]): Promise<RegistryUnderTest> {
      return keep(
        await RegistryUnderTest.start({
          engine,
          mode: 'full',
          config: {
            sources: [{ name: 'own', managed: {} }, ...sources],
            registries: [
              {
                name: 'main',
                sources: ['own', ...sources.map(({ name }) => name)],
                claims: { org: 'acme' },
              },
            ],
            ...config,
          },
        }),
      );
    }

    const administer = (server: RegistryUnderTest): CountingRegistry =>
      new CountingRegistry(server.url, server.token({ role: 'admin', org: 'acme' }));

    it('show what the first registry shows its reader, after any order of changes (reference 262, 303)', async () => {
      const bench = keep(await GitBench.open());
      await bench.repository.commit({ 'registry.json': catalogueOf('dev.acme', []) });
      const first = await startWithClaims({ scratch: { directory: bench.scratch } }, [
        {
          name: 'git',
          git: { repository: `${bench.server.url}/catalogue.git`, allowHttp: true },
          claims: { org: 'acme' },
          syncPolicy: { interval: '1h', allowShrink: true },
        },
      ]);
      const origin = administer(first);
      await origin.firstSync('git');
      const reader = first.token(READER);
      const tokenFile = path.join(first.folder, 'token');
      await writeFile(tokenFile, reader);
      const mirror = async (url: string, auth: Json): Promise<CountingRegistry> => {
        const api = { endpoint: `${url}/registry/main`, pageSize: 5, ...auth };
        const server = keep(
          await RegistryUnderTest.start({
            engine,
            mode: 'anonymous',
            config: {
              sources: [{ name: 'mirror', api, syncPolicy: { interval: '1h', allowShrink: true } }],
              registries: [{ name: 'main', sources: ['mirror'] }],
            },
          }),
        );
        const asked = new CountingRegistry(server.url);
        await asked.firstSync('mirror');
        return asked;
      };
      const second = await mirror(first.url, { auth: { tokenFile } });
      const third = await mirror(second.url, {});
      let run = 0;
      let rowsSeen = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(anyChange, { minLength: 12, maxLength: 30 }), async (changes) => {
          run += 1;
          const namespace = `dev.run${run}`;
          let inGit = new Set<string>();
          /** Deleted, hidden and shown entries, which an increment does not report. */
          let hasLost = false;

          const push = async (rows: readonly CatalogueRow[]): Promise<void> => {
            // A server that becomes a skill is removed from the servers.
            const pushed = new Set(
              rows.map(({ name, version, form }) => `${form === 'skill' ? 'skill ' : ''}${name}@${version}`),
            );
            hasLost ||= [...inGit].some((row) => !pushed.has(row));
            inGit = pushed;
            await bench.repository.commit({ 'registry.json': catalogueOf(namespace, rows) });
            await origin.sync('git', false);
          };
          const look = async (full: boolean): Promise<void> => {
            for (const one of [second, third]) await one.sync('mirror', full || hasLost);
            hasLost = false;
            const shown = await origin.listAll('main', reader, PAGE);
            rowsSeen += shown.length;
            const seconds = await second.listAll('main', undefined, PAGE);
            const thirds = await third.listAll('main', undefined, PAGE);
            const facts = shown.map(({ document, official }) => ({ document, official }));
            expect(seconds.map(({ document, official }) => ({ document, official }))).to.deep.equal(facts);
            expect(thirds.map(({ document, official }) => ({ document, official }))).to.deep.equal(facts);
            for (const [index, { origin: way }] of thirds.entries()) {
              expect(way['origin']).to.equal(shown[index]?.origin['origin']);
              expect(way['via']).to.have.lengthOf(2);
            }
          };

          for (const one of changes) {
            if (one.do === 'look') await look(one.full);
            else if (one.do === 'push') await push(one.rows);
            else {
              await apply(origin, `${namespace}/${one.name}`, one);
              // The publication hides the entry of git with the name, and gives its claims to the earlier
              // versions.
              const hides = one.do === 'publish';
              hasLost ||= hides || one.do === 'delete' || one.do === 'relabel';
            }
          }
          await look(false);
          const before = await third.listAll('main', undefined, PAGE);
          await look(true);
          expect(await third.listAll('main', undefined, PAGE), 'a read of everything finds nothing new') //
            .to.deep.equal(before);
          for (const name of PUBLISHED)
            for (const version of VERSIONS)
              await apply(origin, `${namespace}/${name}`, { do: 'delete', version });
          await push([]);
          hasLost = true;
          await look(false);
        }),
        trials({ short: 2, long: 150 }),
      );
      expect(rowsSeen).to.be.greaterThan(30);
    });

    it('that sync from each other › stop writing, and remove entries deleted at their origin', async () => {
      const open = { apiSources: { allowPrivateAddresses: true, allowedDirectories: [tmpdir()] } };
      const upstream = await startWithClaims({}, []);
      await apply(administer(upstream), 'dev.acme/upstream', { do: 'publish', version: '1.0.0', team: 'a' });
      const [one, other] = [await startWithClaims(open, []), await startWithClaims(open, [])];
      const registries = [one, other] as const;
      for (const [server, partner] of [
        [one, other],
        [other, one],
      ] as const) {
        const admin = administer(server);
        for (const [name, read] of [
          ['partner', partner],
          ['upstream', upstream],
        ] as const) {
          const tokenFile = path.join(server.folder, `${name}-token`);
          await writeFile(tokenFile, read.token(READER));
          const api = { endpoint: `${read.url}/registry/main`, auth: { tokenFile } };
          const source = { api, claims: READER, syncPolicy: { interval: '1h', allowShrink: true } };
          const made = await admin.send('PUT', `/v1/sources/${name}`, source);
          expect(made.status, JSON.stringify(made.body)).to.equal(201);
          await admin.firstSync(name);
        }
        const sources = ['own', 'partner', 'upstream'];
        const made = await admin.send('PUT', '/v1/registries/all', { sources, claims: { org: 'acme' } });
        expect(made.status, JSON.stringify(made.body)).to.equal(201);
      }
      // Each one reads everything of the other, including what that one has read.
      for (const [server, partner] of [
        [one, other],
        [other, one],
      ] as const) {
        const tokenFile = path.join(server.folder, 'partner-token');
        const api = { endpoint: `${partner.url}/registry/all`, auth: { tokenFile } };
        const source = { api, claims: READER, syncPolicy: { interval: '1h', allowShrink: true } };
        expect((await administer(server).send('PUT', '/v1/sources/partner', source)).status).to.equal(200);
      }
      const rounds = async (count: number, full: boolean): Promise<void> => {
        for (let round = 0; round < count; round += 1)
          for (const server of registries)
            for (const name of ['upstream', 'partner']) await administer(server).sync(name, full);
      };
      const shown = async (server: RegistryUnderTest): Promise<readonly Json[]> =>
        (await administer(server).listAll('all', server.token(READER), PAGE)).map(
          ({ document, official }) => ({ document, official }),
        );
      const namesOf = (rows: readonly Json[]): readonly unknown[] =>
        rows.map(({ document }) => Reflect.get(Object(document), 'name'));
      const held = async (server: RegistryUnderTest): Promise<unknown> => {
        const of = (name: string) => administer(server).send('GET', `/v1/sources/${name}/entries`);
        const listed = [(await of('partner')).body['entries'], (await of('upstream')).body['entries']];
        for (const entries of listed) expect(entries).to.be.an('array').and.not.deep.equal([]);
        return listed;
      };
      const writtenSince = async (server: RegistryUnderTest, since: string): Promise<unknown> => {
        const target = `/registry/all/v0.1/servers?updated_since=${since}&include_deleted=true`;
        return (await administer(server).send('GET', target)).body['servers'];
      };

      await apply(administer(one), 'dev.acme/one', { do: 'publish', version: '1.0.0', team: 'a' });
      await apply(administer(one), 'dev.acme/secret', { do: 'publish', version: '1.0.0', team: 'b' });
      await apply(administer(other), 'dev.acme/other', { do: 'publish', version: '1.0.0', team: 'a' });
      await apply(administer(other), 'dev.acme/other', {
        do: 'status',
        version: '1.0.0',
        status: 'deprecated',
      });
      await rounds(2, true);
      const settled = await shown(one);
      expect(namesOf(settled)).to.deep.equal(['dev.acme/one', 'dev.acme/other', 'dev.acme/upstream']);
      expect(await shown(other)).to.deep.equal(settled);
      const kept = new Map<RegistryUnderTest, unknown>();
      for (const server of registries) kept.set(server, await held(server));
      const since = new Date().toISOString();
      await rounds(3, false);
      await rounds(2, true);
      for (const server of registries) {
        expect(await shown(server), 'after more reads').to.deep.equal(settled);
        expect(await writtenSince(server, since), 'what was written anew').to.deep.equal([]);
        expect(await held(server), 'what is held of the others').to.deep.equal(kept.get(server));
      }

      await apply(administer(upstream), 'dev.acme/upstream', { do: 'delete', version: '1.0.0' });
      await apply(administer(other), 'dev.acme/other', { do: 'delete', version: '1.0.0' });
      await rounds(2, true);
      for (const server of registries) expect(namesOf(await shown(server))).to.deep.equal(['dev.acme/one']);
    });
  });
}

/** Some changes have to fail: a version that exists, one that does not, or a status that is already set. */
async function apply(
  registry: CountingRegistry,
  name: string,
  change:
    | { readonly do: 'publish'; readonly version: string; readonly team: string }
    | { readonly do: 'status'; readonly version: string; readonly status: string }
    | { readonly do: 'delete'; readonly version: string }
    | { readonly do: 'relabel'; readonly team: string },
): Promise<void> {
  const entry = `/v1/entries/server/${encodeURIComponent(name)}`;
  const send = async (method: string, target: string, expected: readonly number[], body?: unknown) => {
    const answer = await registry.send(method, target, body);
    expect(expected, `${method} ${target}: ${JSON.stringify(answer.body)}`).to.include(answer.status);
  };
  if (change.do === 'publish') {
    const claims = { org: 'acme', team: change.team };
    await send('POST', '/v1/entries', [201, 409], { server: serverDocument(name, change.version), claims });
  } else if (change.do === 'status') {
    const { version, status } = change;
    const message = status === 'active' ? {} : { statusMessage: `It is ${status}` };
    await send('PATCH', `${entry}/versions/${version}/status`, [200, 400, 404], { status, ...message });
  } else if (change.do === 'delete') await send('DELETE', `${entry}/versions/${change.version}`, [204, 404]);
  else await send('PUT', `${entry}/claims`, [204, 404], { claims: { org: 'acme', team: change.team } });
}
