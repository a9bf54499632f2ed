import { inTime } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { SeededRandom } from '../../support/seeded-random.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import { limitMs, SEED, trials } from '../../support/soak.ts';
import { CALM } from '../../support/stormy-link.ts';
import { POSTGRES } from '../../support/test-database.ts';
import { Entries } from './chaos/entries.ts';
import { LIST, Scene } from './chaos/scene.ts';
import { Sources } from './chaos/sources.ts';

/** Number of storms, and the duration of each. */
const { numRuns: STORMS } = trials({ short: 1, long: 60 });
const STORM_MS = 4000;

/** Number of requests at the same time, more than a server has connections in its pool. */
const AT_ONCE = 30;

describe('two registry servers while connections to PostgreSQL break and stall', function () {
  this.timeout(limitMs(180_000));
  let scene: Scene;

  before(async function () {
    if (POSTGRES === undefined) skipSuite(this, 'PORTOLAN_TEST_POSTGRES_URL names no server');
    scene = await Scene.start(2, new SeededRandom(SEED));
  });
  after(() => scene?.close());

  /** Runs actions during a storm until it ends. */
  const stormWith = async (tasks: readonly (() => Promise<void>)[]): Promise<void> => {
    const over = new AbortController();
    const again = async (task: () => Promise<void>): Promise<void> => {
      while (!over.signal.aborted) await task();
    };
    const running = Promise.all(tasks.map((task) => again(task)));
    running.catch(() => undefined); // The line below throws it.
    try {
      await scene.storm(STORM_MS);
    } finally {
      over.abort();
      await running;
    }
    await scene.settled();
  };

  it('lose no confirmed change, keep no partial change, and show no caller outdated or hidden data', async () => {
    const entries = new Entries(scene);
    const sources = new Sources(scene);
    const [publish, read, administer] = [
      () => entries.publishOne(),
      () => entries.readSome(),
      () => sources.administerOne(),
    ];
    for (let storm = 0; storm < STORMS; storm += 1) {
      await stormWith([publish, publish, publish, read, read, read, administer, administer]);
      await entries.judge();
      await sources.judge();
      expect(scene.witness.problems, `storm ${storm}, of seed ${SEED}`).to.deep.equal([]);
    }
    // Which faults occur depends on the number of messages, and so on the machine.
    expect(Object.keys(scene.link.met), 'what was tried').to.include.members(['late', 'slow']);
  });

  it('can use all connections of their pools afterwards', async () => {
    const token = scene.tokenOf('acme');
    for (const server of scene.servers) {
      const asked = Array.from({ length: AT_ONCE }, (_, place) =>
        server.status('GET', `${LIST}?limit=${place + 1}&search=x${place}`, { token }),
      );
      expect(new Set(await Promise.all(asked))).to.deep.equal(new Set([200]));
    }
  });

  it('respond to other requests while one connection hangs', async () => {
    const [server] = scene.servers;
    if (server === undefined) throw new TypeError('there are two');
    const token = scene.tokenOf('beta');
    scene.link.weather = { ...CALM, mute: 1 };
    const unanswered = server.status('GET', `${LIST}?limit=3&search=silence`, { token });
    await scene.link.muted();
    scene.link.weather = CALM;
    const others = ['?limit=4', '?limit=5', '/org.beta%2Falways/versions/latest'].map((which) =>
      server.status('GET', `${LIST}${which}`, { token }),
    );
    const answered = inTime('an answer to others', Promise.all(others), { withinMs: 9000 });
    expect(await answered).to.deep.equal([200, 200, 200]);
    scene.link.breakAll(); // Imitates the network, which reports the end much later.
    expect(await unanswered).to.equal(503);
  });

  it('stop with status 0, log only expected errors, and have an audit line for each change', async () => {
    for (const { server, status, odd, log, audit } of await scene.stop()) {
      expect(status).to.equal(0);
      expect(odd, 'what is no line of the log').to.deep.equal([]);
      expect(log.filter(({ code }) => code === 'ERR_INTERNAL')).to.deep.equal([]);
      const written = new Map(audit.map((line) => auditedRequest(line)));
      const missing = scene.witness.done.filter(
        (done) => done.server === server && written.get(done.requestId) !== 'success',
      );
      expect(missing.map(({ what }) => what)).to.deep.equal([]);
    }
  });
});

/** Returns the id of a request and its result. */
function auditedRequest(line: string): readonly [string, string] {
  const { outcome, metadata } = JSON.parse(line) as {
    readonly outcome: string;
    readonly metadata: { readonly extra: { readonly request_id: string } };
  };
  return [metadata.extra.request_id, outcome];
}
