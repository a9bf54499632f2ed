import { createTestContext, FakeClock } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { openProviderSettings } from '../src/config/provider-settings.ts';
import { Provider } from '../src/provider.ts';
import { MCP_TIMING } from '../src/timing.ts';
import { TokenMemory } from '../src/tokens/token-memory.ts';
import { configOf } from './support/oauth-under-test.ts';

describe('TokenMemory', () => {
  let provider: Provider;
  const clock = new FakeClock();
  before(async () => {
    const settings = await openProviderSettings(
      configOf({
        name: 'main',
        issuerUrl: 'https://sso.acme.example',
        audience: 'portolan',
        allowPrivateIP: false,
      }),
      createTestContext(),
    );
    for (const one of settings) {
      provider = new Provider(one, createTestContext({ clock: clock.clock, nowMs: clock.nowMs }), MCP_TIMING);
    }
  });
  after(() => provider.close());

  function remember(memory: TokenMemory, digest: string, size: number): void {
    memory.remember({ digest, size }, provider, provider.generation, {
      outcome: 'accepted',
      identity: { subject: digest, claims: {} },
      because: 'it is a test',
      goodUntilMs: clock.clock().getTime() + 60_000,
      claimsMayChange: false,
    });
  }

  for (const { size, most } of [
    { size: 100, most: 10_000 },
    { size: 16_384, most: 512 },
  ]) {
    it(`keeps the last ${most} of 100,000 tokens of ${size} characters`, () => {
      const memory = new TokenMemory(clock.clock);
      for (let index = 0; index < 100_000; index += 1) remember(memory, String(index), size);
      const known = Array.from({ length: 100_000 }, (_, index) => memory.find(String(index)) !== undefined);
      expect(known.filter(Boolean)).to.have.lengthOf(most);
      expect(known.indexOf(true)).to.equal(100_000 - most);
    });
  }
});
