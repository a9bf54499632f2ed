import { expect } from 'chai';
import fc from 'fast-check';
import { setTimeout as pass } from 'node:timers/promises';
import { initialize, McpClient } from '../../../packages/proxy/test/support/mcp-client.ts';
import { findRedis, RedisServer } from '../../support/redis-server.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import { limitMs, trials } from '../../support/soak.ts';
import { ProxyProcess } from './support/proxy-process.ts';
import { ResumableBackend } from './support/resumable-backend.ts';

const CLIENTS = 12;
const ROUNDS = 16;

describe('two proxies with one Redis, of which one is killed', function () {
  this.timeout(limitMs(120_000));
  let server: RedisServer;
  let backend: ResumableBackend | undefined;
  const processes: ProxyProcess[] = [];
  before(async function () {
    const program = await findRedis();
    if (program === undefined) skipSuite(this, 'needs redis-server');
    else server = await RedisServer.start(program);
  });
  const close = async (): Promise<void> => {
    await Promise.all(processes.splice(0).map((each) => each.kill()));
    await backend?.http.close();
  };
  afterEach(close);
  after(() => server?.stop());

  it('lose no session, deliver no response to another client, and none twice', async () => {
    const each = fc.asyncProperty(fc.integer(), fc.integer({ min: 1, max: ROUNDS - 4 }), tryOnce);
    await fc.assert(each.afterEach(close), trials({ short: 1, long: 100 }));
  });

  async function tryOnce(seed: number, killedAfter: number): Promise<void> {
    const seeded = new SeededRandom(seed);
    const random = (): number => seeded.next();
    backend = await ResumableBackend.start();
    const target = backend.http.url;
    const [first, second] = await Promise.all([
      ProxyProcess.start(target, server.address),
      ProxyProcess.start(target, server.address),
    ]);
    processes.push(first, second);
    let isKilled = false;
    let rounds = 0;
    const sessions = await Promise.all(
      Array.from({ length: CLIENTS }, async (_unused, name) => {
        const begun = await new McpClient(name % 2 === 0 ? first.url : second.url).post(initialize());
        return String(begun.headers['mcp-session-id']);
      }),
    );
    const clients = sessions.map(async (session, name) => {
      let answered = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        rounds += 1;
        if (rounds === killedAfter * CLIENTS) {
          isKilled = true;
          void first.kill();
        }
        const client = new McpClient(!isKilled && random() < 0.5 ? first.url : second.url, session);
        const other = new McpClient(second.url, session);
        const heard = await callOnce(client, other, `${name}/${round}`, round, random).catch(
          (error: unknown) => {
            // The killed proxy breaks its connections. The other one breaks none.
            if (
              client.url.href === first.url.href &&
              !(error instanceof Error && error.name === 'AssertionError')
            )
              return 0;
            throw error;
          },
        );
        answered += heard;
      }
      return { session, answered };
    });
    const ended = await Promise.all(clients);
    // For the server, a response on its way to a client that left was delivered.
    const answered = ended.reduce((sum, each) => sum + each.answered, 0);
    expect(answered).to.be.at.least((CLIENTS * ROUNDS) / 2);
    // No client began again: each session is the original one.
    for (const [name, { session }] of ended.entries()) {
      const answer = await new McpClient(second.url, session).post(call('plain', `${name}/last`, 'last'));
      expect([answer.status, answer.json.result.said]).to.deep.equal([200, { own: `${name}/last` }]);
    }
    expect(backend.sessions.size).to.equal(CLIENTS);
  }
});

/** All sessions use the same request ids, with different content in each call. */
function call(name: string, own: string, id: unknown): object {
  return { id, method: 'tools/call', params: { name, arguments: { own } } };
}

/** Returns the number of received responses: one, or none if the connection broke finally. */
async function callOnce(
  client: McpClient,
  other: McpClient,
  own: string,
  id: number,
  random: () => number,
): Promise<number> {
  if (random() < 0.5) {
    const answer = await client.post(call('plain', own, id));
    const said = answer.json?.result?.said;
    expect([answer.status, said], `${own}: ${JSON.stringify(answer.json)}`).to.deep.equal([200, { own }]);
    return 1;
  }
  const stream = await client.stream(call('slow', own, id));
  await until(() => stream.all.length > 0 || stream.isOver || stream.isBroken);
  const last = stream.all[0]?.id;
  const leaves = random() < 0.5;
  if (leaves) stream.leave();
  else await until(() => stream.isOver || stream.isBroken);
  let messages = [...stream.messages];
  if (!messages.some((message) => message.id === id) && last !== undefined) {
    const resumed = await other.listen({ 'Last-Event-ID': last });
    await until(() => resumed.messages.length > 0 || resumed.isOver || resumed.isBroken);
    messages = [...messages, ...resumed.messages];
    resumed.leave();
  }
  const ends = messages.filter((message) => message.id !== undefined && message.method === undefined);
  expect(ends.length, own).to.be.at.most(1);
  for (const end of ends)
    expect([end.id, end.result]).to.deep.equal([id, { said: { own }, asked: 'tools/call' }]);
  return ends.length;
}

async function until(check: () => boolean): Promise<void> {
  const end = performance.now() + 3000;
  while (!check() && performance.now() < end) await pass(2);
}
