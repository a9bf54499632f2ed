import { expect } from 'chai';
import fc from 'fast-check';
import { limitMs, trials } from '../../../test/support/soak.ts';
import { legacyLoadClient, type LoadClient, modernLoadClient, type Outcome } from './support/load-clients.ts';
import { expectedText, httpMember, loadMember } from './support/load-members.ts';
import type { FakeMember } from './support/fake-member.ts';
import { VirtualServers } from './support/virtual-servers.ts';

const CLIENTS = 64;
const CALLS = 2000;
const KILL_MS = 15;

interface Member {
  readonly name: string;
  readonly isAsking: boolean;
}

/** 64 clients of both eras, 20 members of both eras, the same ids everywhere. */
describe('calls of many clients to many members', function () {
  this.timeout(limitMs(240_000));
  const servers = new VirtualServers();
  const killing: NodeJS.Timeout[] = [];
  afterEach(async () => {
    for (const timer of killing.splice(0)) clearInterval(timer);
    await servers.close();
  });

  async function open(): Promise<{ url: URL; fakes: readonly FakeMember[]; members: readonly Member[] }> {
    const fakes: FakeMember[] = [];
    const members: Member[] = [];
    for (let at = 0; at < 18; at += 1) {
      const isAsking = at % 3 === 2;
      fakes.push(loadMember(`m${at}`, at % 2 === 0 ? 'legacy' : 'modern', isAsking));
      members.push({ name: `m${at}`, isAsking });
    }
    const http = [await httpMember(servers, 'h0', 'legacy'), await httpMember(servers, 'h1', 'modern')];
    members.push(...http.map(({ name }) => ({ name, isAsking: false })));
    const { url } = await servers.open([...fakes, ...http], { limits: { maxProcesses: 200 } });
    return { url, fakes, members };
  }

  async function load(
    url: URL,
    members: readonly Member[],
    random: () => number,
    check: (outcome: Outcome, expected: string) => void,
  ): Promise<void> {
    const clients: readonly LoadClient[] = await Promise.all(
      Array.from({ length: CLIENTS }, async (_none, at) =>
        at % 2 === 0 ? await legacyLoadClient(url) : modernLoadClient(url),
      ),
    );
    await Promise.all(
      clients.map(async (client, at) => {
        for (let call = 0; call * CLIENTS < CALLS; call += 1) {
          const member = members[Math.floor(random() * members.length)] ?? { name: '', isAsking: false };
          const nonce = `${at}-${call}`;
          const outcome = await client.call(`${member.name}_call`, nonce);
          check(outcome, expectedText(member.name, nonce, member.isAsking));
        }
      }),
    );
    expect(clients.flatMap(({ foreign }) => foreign)).to.deep.equal([]);
    await Promise.all(clients.map((client) => client.close()));
  }

  it('each client › gets the responses to its own calls, and the questions that they cause', async () => {
    const each = fc.asyncProperty(fc.integer(), async (seed) => {
      const { url, members } = await open();
      await load(url, members, randomFrom(seed), (outcome, text) => expect(outcome).to.deep.equal({ text }));
      await servers.close();
    });
    await fc.assert(each, trials({ short: 1, long: 50 }));
  });

  it('each client › gets errors in place of responses while members are killed, and nothing else', async () => {
    const each = fc.asyncProperty(fc.integer(), async (seed) => {
      const { url, fakes, members } = await open();
      const random = randomFrom(seed);
      const pick = <One>(from: readonly One[]): One | undefined => from[Math.floor(random() * from.length)];
      const timer = setInterval(
        () => pick(pick(fakes)?.connections.filter(({ isClosed }) => !isClosed) ?? [])?.exit(),
        KILL_MS,
      );
      killing.push(timer);
      let responses = 0;
      let errors = 0;
      await load(url, members, random, (outcome, text) => {
        if ('text' in outcome) {
          expect(outcome).to.deep.equal({ text });
          responses += 1;
          return;
        }
        expect(outcome.error).to.have.property('code').that.is.oneOf([-32603, -32602]);
        errors += 1;
      });
      clearInterval(timer);
      expect(responses + errors).to.be.at.least(CALLS);
      expect(responses).to.be.above(errors);
      await servers.close();
    });
    await fc.assert(each, trials({ short: 1, long: 50 }));
  });
});

/** Returns a generator of numbers from 0 to 1 that only depends on the seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}
