import { expect } from 'chai';
import type { RunFlags } from '../../src/settings/run-flags.ts';
import { mergeSettings } from '../../src/settings/merge-settings.ts';
import type { MergedSettings } from '../../src/settings/merged-settings.ts';
import type { MergeInput } from '../../src/settings/merge-input.ts';
import { isLeftToExchange } from '../../src/run-config/token-exchange.ts';
import { policyPartOf } from '../../src/settings/to-run-config.ts';
import { NO_USER_SETTINGS } from '../../src/settings/user-settings.ts';
import { caught } from '../../../../test/support/caught.ts';

const URL_FLAG: RunFlags = { tokenExchangeUrl: 'https://id.example/token' };

function merge(
  flags: RunFlags,
  found?: MergeInput['tokenExchangeSecret'],
  target: MergeInput['target'] = { from: 'image', reference: 'ghcr.io/acme/weather-mcp:1' },
): MergedSettings {
  return mergeSettings({
    request: { target: 'x', args: [], flags: { transport: 'streamable-http', ...flags } },
    target,
    entry: undefined,
    user: NO_USER_SETTINGS,
    transports: new Map([
      ['stdio', 'messages'],
      ['streamable-http', 'http'],
    ]),
    environment: new Map(),
    profileFile: undefined,
    exposedPorts: [],
    context: { workingDirectory: '/srv/here', home: '/home/ann', platform: 'linux' },
    clock: () => new Date('2026-11-21T00:00:00Z'),
    ...(found === undefined ? {} : { tokenExchangeSecret: found }),
  });
}

describe('token exchange in merged settings', () => {
  it('is off without its flags, for any environment', () => {
    const merged = merge(
      {},
      { value: 'hunter2', by: 'PORTOLAN_TOKEN_EXCHANGE_CLIENT_SECRET', isGiven: false },
    );
    expect(policyPartOf(merged).token_exchange_config).to.equal(undefined);
    expect(merged.tokenExchangeSecret).to.equal(undefined);
  });

  const STRATEGIES: readonly (readonly [flags: RunFlags, strategy: object])[] = [
    [{}, { header_strategy: 'replace' }],
    [
      { tokenExchangeHeaderName: 'X-Upstream-Token' },
      { header_strategy: 'custom', external_token_header_name: 'X-Upstream-Token' },
    ],
  ];
  for (const [flags, strategy] of STRATEGIES) {
    it(`sets the header strategy of ${JSON.stringify(flags)}`, () => {
      expect(policyPartOf(merge({ ...URL_FLAG, ...flags })).token_exchange_config).to.deep.equal({
        token_url: 'https://id.example/token',
        ...strategy,
      });
    });
  }

  const FOUND = { value: 'of-variable', by: 'A_VARIABLE', isGiven: false };
  const SECRETS: readonly (readonly [
    flags: RunFlags,
    found: typeof FOUND | undefined,
    secret: string | undefined,
  ])[] = [
    [{ tokenExchangeClientSecret: 'of-flag' }, FOUND, 'of-flag'],
    [{ tokenExchangeClientId: 'me' }, FOUND, 'of-variable'],
    // What stands in the environment is for a client, and there is none.
    [{}, FOUND, undefined],
    [{}, { ...FOUND, isGiven: true }, 'of-variable'],
    [{ tokenExchangeClientId: 'me' }, undefined, undefined],
  ];
  for (const [flags, found, secret] of SECRETS) {
    it(`uses the secret ${secret ?? 'undefined'} for ${JSON.stringify([flags, found?.isGiven])}`, () => {
      expect(merge({ ...URL_FLAG, ...flags }, found).tokenExchangeSecret?.value).to.equal(secret);
    });
  }

  it('causes a warning when callers are not authenticated', () => {
    const warned = (flags: RunFlags): boolean =>
      merge(flags).warnings.some((text) => text.includes('--token-exchange-url exchanges nothing'));
    expect(warned(URL_FLAG)).to.equal(true);
    expect(warned({ ...URL_FLAG, oidcIssuer: 'https://id.example' })).to.equal(false);
    expect(warned({})).to.equal(false);
  });

  it('causes a warning about credentials of the workload that have no effect', () => {
    const warnings = (flags: RunFlags): readonly string[] =>
      merge(flags, undefined, { from: 'url', url: new URL('https://mcp.example/mcp') }).warnings;
    const without = (flags: RunFlags): number =>
      warnings({ ...URL_FLAG, ...flags }).filter((text) => text.includes('has no effect: with')).length;
    expect(without({ remoteAuthBearerToken: 'x' })).to.equal(1);
    expect(without({ remoteAuth: true, remoteForwardHeaders: ['Authorization=x', 'X-Team=y'] })).to.equal(2);
    expect(without({ remoteAuth: false })).to.equal(0);
    expect(without({})).to.equal(0);
    expect(warnings({ remoteAuthBearerToken: 'x' })).to.deep.equal([]);
  });

  const LEFT: readonly (readonly [exchange: object | undefined, header: string, isLeft: boolean])[] = [
    [undefined, 'Authorization', false],
    [{ token_url: 'https://id.example' }, 'authorization', true],
    [{ token_url: 'https://id.example' }, 'X-Team', false],
    [{ token_url: 'https://id.example', external_token_header_name: 'X-Up' }, 'x-up', true],
    [{ token_url: 'https://id.example', external_token_header_name: 'X-Up' }, 'AUTHORIZATION', true],
  ];
  for (const [exchange, header, isLeft] of LEFT) {
    it(`${isLeft ? 'leaves' : 'does not leave'} ${header} to the exchange ${JSON.stringify(exchange)}`, () => {
      const config = { token_exchange_config: exchange && { ...exchange } };
      expect(isLeftToExchange(config, header)).to.equal(isLeft);
    });
  }

  const REFUSED: readonly RunFlags[] = [
    { tokenExchangeScopes: ['a'] },
    { ...URL_FLAG, tokenExchangeClientSecret: 'a', tokenExchangeClientSecretFile: 'b' },
    { ...URL_FLAG, transport: 'stdio' },
  ];
  for (const flags of REFUSED) {
    it(`is rejected with ${JSON.stringify(flags)}`, async () => {
      expect((await caught(() => merge(flags))).code).to.equal('ERR_SETTINGS_CONFLICT');
    });
  }
});
