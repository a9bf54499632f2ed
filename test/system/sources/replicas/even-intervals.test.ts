import { setTimeout as pass } from 'node:timers/promises';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { type Json, RegistryUnderTest } from '../../../support/registry-under-test.ts';
import { onHost } from '../../../support/on-host.ts';
import { skipSuite } from '../../../support/skip-suite.ts';
import { IS_SOAK } from '../../../support/soak.ts';
import { createTestDatabase, POSTGRES, type TestDatabase } from '../../../support/test-database.ts';
import { CHANGING, FILES, FiveSources, HEALTHY } from './five-sources.ts';
import { LeaseHistory, longestGap, overlapsIn, successesIn } from './lease-history.ts';

/*
 * Two servers, one PostgreSQL and five sources, of which one fails and one hangs: how long the others go
 * without a sync.
 */

const FORM = IS_SOAK
  ? { rows: 100_000, intervalSeconds: 30, seconds: 180 }
  : { rows: 2000, intervalSeconds: 8, seconds: 24 };

describe('two servers with one failing and one hanging source among five', function () {
  this.timeout((FORM.seconds + 120) * 1000);
  let sides: FiveSources;
  let database: TestDatabase;
  let history: LeaseHistory;
  const replicas: RegistryUnderTest[] = [];

  before(async function () {
    if (POSTGRES === undefined) skipSuite(this, 'PORTOLAN_TEST_POSTGRES_URL names no server');
    sides = await FiveSources.open(FORM.rows);
    database = await createTestDatabase('PostgreSQL', sides.git.folder);
    history = await LeaseHistory.begin(database.url);
  });
  after(async () => {
    for (const replica of replicas.toReversed()) await replica.close();
    await history?.close();
    await database?.remove();
    await sides?.close();
  });

  const start = async (host: string): Promise<void> => {
    const config = {
      ...sides.config(FORM.intervalSeconds),
      scratch: { directory: `${sides.git.folder}/${host}` },
    };
    const [beside] = replicas;
    const more = beside === undefined ? {} : { beside };
    replicas.push(
      await RegistryUnderTest.start({
        engine: 'PostgreSQL',
        mode: 'auth-only',
        config,
        database,
        env: onHost(host),
        ...more,
      }),
    );
  };

  const countOf = async (replica: RegistryUnderTest, name: string): Promise<number> => {
    const answer = await replica.send('GET', `/v1/sources/${name}`, { token: replica.token() });
    return Number(answer.json<{ syncStatus: Json }>().syncStatus['serverCount']);
  };

  it(`syncs every healthy source within twice its interval of ${FORM.intervalSeconds} s, for ${FORM.seconds} s (reference 654, 769, 770, 772)`, async () => {
    await start('host-a');
    await start('host-b');
    const fromMs = await history.nowMs();
    const end = performance.now() + FORM.seconds * 1000;
    for (let round = 1; performance.now() < end; round += 1) {
      await sides.commit(round);
      await pass(Math.min((FORM.intervalSeconds * 1000) / 2, Math.max(0, end - performance.now())));
    }
    const toMs = await history.nowMs();
    const changes = await history.read();
    const gaps = HEALTHY.map((name) => {
      const successes = successesIn(changes, name);
      return { name, syncs: successes.length, longest: longestGap(successes, fromMs, toMs) };
    });
    if (IS_SOAK) console.log(JSON.stringify({ form: FORM, gaps }));
    for (const { name, longest } of gaps)
      expect(longest, `longest time without ${name}, ms`).to.be.at.most(FORM.intervalSeconds * 2000);
    expect(overlapsIn(changes, []), 'two at a time').to.deep.equal([]);
    expect(Object.fromEntries(sides.maxAtOnce)).to.include({ hanging: 1, failing: 1, changing: 1 });
    for (const replica of replicas) {
      expect(await countOf(replica, 'large')).to.equal(FORM.rows);
      expect(await countOf(replica, 'changing')).to.equal(CHANGING);
      expect(await countOf(replica, 'git')).to.equal(FILES);
    }
    // At this moment its next sync may be running.
    await eventually(async () => {
      const failing = await replicas[0]?.send('GET', '/v1/sources/failing', { token: replicas[0].token() });
      expect(failing?.json<{ syncStatus: Json }>().syncStatus).to.include({ phase: 'failed' });
    });
  });
});
