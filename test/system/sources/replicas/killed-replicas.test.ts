import { setTimeout as pass } from 'node:timers/promises';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import fc from 'fast-check';
import { onHost } from '../../../support/on-host.ts';
import { type Json, RegistryUnderTest, serverDocument } from '../../../support/registry-under-test.ts';
import { skipSuite } from '../../../support/skip-suite.ts';
import { IS_SOAK, SEED } from '../../../support/soak.ts';
import { createTestDatabase, POSTGRES, type TestDatabase } from '../../../support/test-database.ts';
import { CHANGING, FILES, FiveSources, HEALTHY } from './five-sources.ts';
import { type Death, LeaseHistory, overlapsIn, successesIn, takeOversIn } from './lease-history.ts';

/*
 * Two servers, one PostgreSQL. One is killed at random, and starts again immediately or after the other has
 * taken over. Each has its own host name, so that it cannot see the process of the other.
 */

/** Time until a lease expires (`LEASE_MS`). */
const LEASE_MS = 15_000;
const HOSTS = ['host-a', 'host-b'] as const;
const FORM = IS_SOAK
  ? { kills: 20, rows: 20_000, intervalSeconds: 5 }
  : { kills: 2, rows: 1000, intervalSeconds: 2 };

/** Which server is killed, how long after the previous kill, and whether it starts again immediately. */
const PLAN = fc.sample(
  fc.record({
    host: fc.constantFrom(...HOSTS),
    afterMs: fc.integer({ min: 0, max: 2500 }),
    isReplacedAtOnce: fc.boolean(),
  }),
  { numRuns: FORM.kills },
);

describe(`two servers that are killed in turn, ${FORM.kills} times (seed ${SEED})`, function () {
  this.timeout(60_000 + FORM.kills * 60_000);
  let sides: FiveSources;
  let database: TestDatabase;
  let history: LeaseHistory;
  const replicas = new Map<string, RegistryUnderTest>();
  /** All servers that ever ran, oldest first. */
  const started: RegistryUnderTest[] = [];
  const deaths: Death[] = [];

  before(async function () {
    if (POSTGRES === undefined) skipSuite(this, 'PORTOLAN_TEST_POSTGRES_URL names no server');
    sides = await FiveSources.open(FORM.rows);
    database = await createTestDatabase('PostgreSQL', sides.git.folder);
    history = await LeaseHistory.begin(database.url);
    for (const host of HOSTS) await start(host);
  });
  after(async () => {
    for (const replica of started.toReversed()) await replica.close();
    await history?.close();
    await database?.remove();
    await sides?.close();
  });

  async function start(host: string): Promise<void> {
    const { sources, registries } = sides.config(FORM.intervalSeconds);
    const config = {
      sources: [...sources, { name: 'published', managed: {} }],
      registries: [...registries, { name: 'published', sources: ['published'] }],
      scratch: { directory: `${sides.git.folder}/${host}` },
    };
    const [beside] = started;
    const more = beside === undefined ? {} : { beside };
    const replica = await RegistryUnderTest.start({
      engine: 'PostgreSQL',
      mode: 'auth-only',
      config,
      database,
      env: onHost(host),
      ...more,
    });
    started.push(replica);
    replicas.set(host, replica);
  }

  /** Ends a server with SIGKILL, like the kernel when memory is exhausted. */
  async function kill(host: string): Promise<Death> {
    const victim = replicas.get(host);
    if (victim === undefined) throw new TypeError(`nothing runs on ${host}`);
    replicas.delete(host);
    const death = { owner: `${host}:${victim.process.pid}:`, atMs: await history.nowMs() };
    victim.process.kill('SIGKILL');
    await victim.process.finished;
    deaths.push(death);
    return death;
  }

  const living = (): readonly RegistryUnderTest[] => [...replicas.values()];

  /** Publishes versions one after another on any running server. Returns the names of the confirmed ones. */
  async function publish(until: AbortSignal): Promise<readonly string[]> {
    const confirmed: string[] = [];
    for (let at = 0; !until.aborted; at += 1) {
      const [first, second] = living();
      const replica = at % 2 === 0 ? (first ?? second) : (second ?? first);
      const name = `dev.acme/published-${at}`;
      try {
        const request = {
          token: replica?.token(),
          body: { claims: { org: 'acme' }, server: serverDocument(name) },
        };
        if ((await replica?.status('POST', '/v1/entries', request)) === 201) confirmed.push(name);
      } catch {
        // The server was killed before its response, so nothing was confirmed.
      }
      await pass(50);
    }
    return confirmed;
  }

  /** Checks that all shown data is complete during the kills: all rows, and of one generation. */
  async function look(until: AbortSignal): Promise<number> {
    let looks = 0;
    while (!until.aborted) {
      for (const replica of living()) {
        try {
          const servers = await serversOf(replica, 'changing');
          const generations = new Set(servers.map(({ title }) => title));
          if (generations.size > 0) expect([generations.size, servers.length]).to.deep.equal([1, CHANGING]);
          const files = await serversOf(replica, 'git');
          if (files.length > 0) expect(files).to.have.lengthOf(FILES);
          looks += 1;
        } catch (error) {
          if (living().includes(replica)) throw error;
        }
      }
      await pass(100);
    }
    return looks;
  }

  async function serversOf(replica: RegistryUnderTest, registry: string): Promise<readonly Json[]> {
    const found: Json[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const query = `limit=1000${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
      const answer = await replica.send('GET', `/registry/${registry}/v0.1/servers?${query}`, {
        token: replica.token(),
      });
      type Page = {
        readonly servers: readonly { readonly server: Json }[];
        readonly metadata: { readonly nextCursor?: string };
      };
      const { servers, metadata } = answer.json<Page>();
      found.push(...servers.map(({ server }) => server));
      cursor = metadata.nextCursor;
    }
    return found;
  }

  it('lose no entry, sync no source twice at a time, leave no stuck sync (reference 547, 549), and take over within two leases', async () => {
    const ending = new AbortController();
    const publishing = publish(ending.signal);
    const looking = look(ending.signal);
    try {
      for (const [at, { host, afterMs, isReplacedAtOnce }] of PLAN.entries()) {
        await pass(afterMs);
        await sides.commit(at + 1);
        // The last kill hits the server that reads the hanging source, so that there is always a lease to
        // take over.
        const holder = (await history.holders()).get('hanging')?.split(':')[0];
        const isLast = at === PLAN.length - 1;
        const met = isLast ? (holder ?? host) : host;
        const death = await kill(met);
        if (isLast || !isReplacedAtOnce)
          await eventually(() => requireTakenOver(death), { withinMs: 2 * LEASE_MS });
        await start(met);
      }
      await eventually(requireSyncedAgain, { withinMs: 2 * LEASE_MS });
    } finally {
      ending.abort();
    }
    const [confirmed, looks] = [await publishing, await looking];
    const changes = await history.read();
    const takeOvers = takeOversIn(changes, deaths);
    const slowest = Math.max(...takeOvers.map(({ afterMs }) => afterMs));
    if (IS_SOAK)
      console.log(
        JSON.stringify({
          form: FORM,
          kills: deaths.length,
          leaseChanges: changes.length,
          takeOvers: takeOvers.length,
          slowest,
          confirmed: confirmed.length,
          looks,
        }),
      );
    expect(overlapsIn(changes, deaths), 'two at a time').to.deep.equal([]);
    expect(Object.fromEntries(sides.maxAtOnce)).to.include({ hanging: 1, changing: 1 });
    expect(takeOvers).to.not.be.empty;
    expect(slowest, 'the slowest take-over, ms').to.be.at.most(2 * LEASE_MS);
    expect(await history.stuck(LEASE_MS)).to.deep.equal([]);
    expect(confirmed).to.not.be.empty;
    expect(looks).to.be.above(0);
    for (const replica of living()) {
      const shown = (await serversOf(replica, 'published')).map(({ name }) => name);
      expect(shown, 'everything that was confirmed').to.include.members([...confirmed]);
      expect(await serversOf(replica, 'large')).to.have.lengthOf(FORM.rows);
      const files = (await serversOf(replica, 'git')).map(({ title }) => title);
      expect(files).to.deep.equal(Array.from({ length: FILES }, () => `g${FORM.kills}`));
    }
  });

  async function requireTakenOver(death: Death): Promise<void> {
    const takeOvers = takeOversIn(await history.read(), [death]);
    expect(takeOvers.filter(({ afterMs }) => afterMs === Number.POSITIVE_INFINITY)).to.deep.equal([]);
  }

  /**
   * Expects that every readable source was read after the last kill, and that the server tries the others.
   */
  async function requireSyncedAgain(): Promise<void> {
    const changes = await history.read();
    const last = deaths.at(-1)?.atMs ?? 0;
    for (const name of HEALTHY) expect(successesIn(changes, name).at(-1) ?? 0, name).to.be.above(last);
    expect([...(await history.holders()).keys()]).to.include('hanging');
  }
});

describe('analysis of the lease history', () => {
  const change = {
    atMs: 100,
    source: 'a',
    phase: 'syncing',
    wasOwner: null,
    wasUntilMs: null,
    owner: null,
    untilMs: null,
  };
  const taken = { ...change, wasOwner: 'host-a:1:x', wasUntilMs: 150, owner: 'host-b:2:y', untilMs: 300 };

  it('finds a process that takes a lease which another one holds', () => {
    expect(overlapsIn([taken], [])).to.deep.equal([taken]);
    expect(overlapsIn([taken], [{ owner: 'host-a:11:', atMs: 50 }]), 'another process').to.deep.equal([
      taken,
    ]);
    expect(overlapsIn([taken], [{ owner: 'host-a:1:', atMs: 120 }]), 'before it died').to.deep.equal([taken]);
  });

  it("accepts a process that takes a free, expired or dead process's lease", () => {
    expect(overlapsIn([{ ...taken, wasOwner: null }], [])).to.deep.equal([]);
    expect(overlapsIn([{ ...taken, wasUntilMs: 100 }], [])).to.deep.equal([]);
    expect(overlapsIn([{ ...taken, wasOwner: taken.owner }], []), 'renewed').to.deep.equal([]);
    expect(overlapsIn([taken], [{ owner: 'host-a:1:', atMs: 99 }])).to.deep.equal([]);
  });

  it('finds how long a take-over from a dead process took, or that there was none', () => {
    const had = { ...change, atMs: 10, owner: 'host-a:1:x' };
    const death = { owner: 'host-a:1:', atMs: 40 };
    expect(takeOversIn([had, taken], [death])).to.deep.equal([{ source: 'a', afterMs: 60 }]);
    expect(takeOversIn([had], [death])).to.deep.equal([{ source: 'a', afterMs: Number.POSITIVE_INFINITY }]);
    expect(takeOversIn([{ ...had, owner: null }, taken], [death])).to.deep.equal([]);
  });
});
