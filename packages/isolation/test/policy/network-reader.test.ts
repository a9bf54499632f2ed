import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { type EngineNetworks, NetworkReader } from '../../src/policy/network-reader.ts';

const NETWORKS: EngineNetworks = { defaultGateway: undefined, gateways: [], subnets: [] };

describe('NetworkReader', () => {
  let asked: PromiseWithResolvers<EngineNetworks>[];
  let now: number;

  beforeEach(() => {
    [asked, now] = [[], 1000];
  });

  function open(longestMs?: number): NetworkReader {
    const readEngineNetworks = (): Promise<EngineNetworks> => {
      const answer = Promise.withResolvers<EngineNetworks>();
      asked.push(answer);
      return answer.promise;
    };
    const readHostAddresses = (): Promise<readonly string[]> => Promise.resolve([]);
    return new NetworkReader({ readEngineNetworks, readHostAddresses }, () => now, longestMs);
  }

  it('queries a slow engine once for concurrent callers, and again after a second', async () => {
    const reader = open();
    const first = reader.look();
    now += 3000;
    const second = reader.look();
    expect(asked).to.have.length(1);
    asked[0]?.resolve(NETWORKS);
    await Promise.all([first, second]);
    const third = reader.look();
    expect(asked).to.have.length(2);
    asked[1]?.resolve(NETWORKS);
    await third;
    now += 500;
    await reader.look();
    expect(asked).to.have.length(2);
  });

  it('times out when the engine does not respond, and retries', async () => {
    const reader = open(5);
    const failed = await reader.look().catch((error: unknown) => error);
    expect(String(failed)).to.include('no answer');
    const again = reader.look();
    expect(asked).to.have.length(2);
    asked[1]?.resolve(NETWORKS);
    await again;
  });

  describe('resolve', () => {
    let waiting: Map<string, PromiseWithResolvers<readonly string[]>>;

    function openResolver(): NetworkReader {
      waiting = new Map();
      const lookup = (name: string): Promise<readonly string[]> => {
        const answer = Promise.withResolvers<readonly string[]>();
        waiting.set(name, answer);
        return answer.promise;
      };
      return new NetworkReader({ readEngineNetworks: () => Promise.resolve(NETWORKS), lookup });
    }
    const caught = (promise: Promise<unknown>): Promise<string> => promise.then(() => '', String);

    it('leaves one of four threads free when name servers do not respond', async () => {
      const reader = openResolver();
      const all = ['a', 'b'].map((name) => reader.resolve(name, 60_000));
      await nextTurn();
      expect([...waiting.keys()]).to.deep.equal(['a']);
      waiting.get('a')?.resolve(['192.0.2.1']);
      await all[0];
      await nextTurn();
      expect([...waiting.keys()]).to.deep.equal(['a', 'b']);
      waiting.get('b')?.resolve(['192.0.2.1']);
      await all[1];
    });

    it('resolves a name once for concurrent connections', async () => {
      const reader = openResolver();
      const all = [reader.resolve('a', 60_000), reader.resolve('a', 60_000)];
      await nextTurn();
      expect(waiting.size).to.equal(1);
      waiting.get('a')?.resolve(['192.0.2.1']);
      expect(await Promise.all(all)).to.have.length(2);
    });

    it('rejects a name at once when 1,024 names wait', async () => {
      const reader = openResolver();
      const all = Array.from({ length: 1025 }, (_, index) => reader.resolve(`n${index}`, 60_000));
      await nextTurn();
      expect(await caught(reader.resolve('late', 60_000))).to.include('too many DNS lookups are pending');
      for (const [index, found] of all.entries()) {
        waiting.get(`n${index}`)?.resolve(['192.0.2.1']);
        await found;
        await nextTurn();
      }
    });

    it('counts a look-up after its timeout, because its thread is still busy', async () => {
      const reader = openResolver();
      expect(await caught(reader.resolve('a', 1))).to.include('no answer');
      expect(await caught(reader.resolve('b', 1))).to.include('no answer');
      expect([...waiting.keys()]).to.deep.equal(['a']);
    });
  });
});
