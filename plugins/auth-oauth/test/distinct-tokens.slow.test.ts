import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createTestContext, FakeClock, startTestIssuer, type TestIssuer } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { IS_SOAK, limitMs } from '../../../test/support/soak.ts';
import { openProviderSettings } from '../src/config/provider-settings.ts';
import { Provider } from '../src/provider.ts';
import { MCP_TIMING } from '../src/timing.ts';
import { TokenExaminer } from '../src/tokens/token-examiner.ts';
import { configOf, NOW, providerOf } from './support/oauth-under-test.ts';

const TOKENS = IS_SOAK ? 100_000 : 4000;
const MB = 1024 * 1024;
const nothing = (): void => undefined;
// One that kept its lines would be what grows.
const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };

describe('verification of many distinct tokens', function () {
  this.timeout(limitMs(60_000));
  let issuer: TestIssuer;
  let provider: Provider;
  let examiner: TokenExaminer;
  const clock = new FakeClock(NOW);
  before(async () => {
    issuer = await startTestIssuer({ algorithm: 'ES256', clock: clock.clock });
    const context = createTestContext({ clock: clock.clock, nowMs: clock.nowMs, logger: silent });
    const [settings] = await openProviderSettings(configOf(providerOf(issuer)), context);
    if (settings === undefined) throw new Error('no provider');
    provider = new Provider(settings, context, MCP_TIMING);
    examiner = new TokenExaminer([provider], context);
  });
  after(async () => {
    await provider.close();
    await issuer.close();
  });

  it(`keeps memory flat and sends few requests to the issuer for ${TOKENS} valid and as many invalid tokens`, async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const used = (): number => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const outcome = async (token: string): Promise<string> => (await examiner.examine(token)).outcome;
    let atHalf = 0;
    for (let made = 0; made < TOKENS; made += 1) {
      expect(await outcome(issuer.sign({ sub: `user-${made}` }))).to.equal('accepted');
      expect(await outcome(issuer.sign({ sub: `user-${made}`, aud: 'shop' }))).to.equal('refused');
      if (made === TOKENS / 2) atHalf = used();
    }
    // The memory of tokens is full by then in the long form, and fills up in the short one.
    expect((used() - atHalf) / MB).to.be.below(IS_SOAK ? 2 : 10);
    expect([issuer.count('discovery'), issuer.count('jwks')]).to.deep.equal([1, 1]);
  });
});
