import { expect } from 'chai';
import type { EngineNetworks } from '../../src/policy/surroundings.ts';
import { SurroundingsReader } from '../../src/policy/surroundings.ts';

const NETWORKS: EngineNetworks = { defaultGateway: undefined, gateways: [], subnets: [] };

describe('SurroundingsReader', () => {
  let asked: PromiseWithResolvers<EngineNetworks>[];
  let now: number;

  beforeEach(() => {
    [asked, now] = [[], 1000];
  });

  function open(longestMs?: number): SurroundingsReader {
    const readEngineNetworks = (): Promise<EngineNetworks> => {
      const answer = Promise.withResolvers<EngineNetworks>();
      asked.push(answer);
      return answer.promise;
    };
    const readHostAddresses = (): Promise<readonly string[]> => Promise.resolve([]);
    return new SurroundingsReader({ readEngineNetworks, readHostAddresses }, () => now, longestMs);
  }

  it('asks an engine that is slow once for everybody who waits, and anew for what is older than a second', async () => {
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

  it('gives up on an engine that does not answer, and asks it again', async () => {
    const reader = open(5);
    const failed = await reader.look().catch((error: unknown) => error);
    expect(String(failed)).to.include('no answer');
    const again = reader.look();
    expect(asked).to.have.length(2);
    asked[1]?.resolve(NETWORKS);
    await again;
  });
});
