import { expect } from 'chai';
import { registryAddress } from '../../src/command-line/registry-address.ts';

const SET = 'https://set.acme.example/registry/main';

describe('registryAddress', () => {
  const address = (typed: string | undefined, url?: string, registryApiUrl?: string): string =>
    registryAddress(typed, {
      environment: { PORTOLAN_URL: url },
      user: { registryApiUrl, registryUrl: undefined },
    }).href;

  it('prefers the command line to PORTOLAN_URL, and that to the settings', () => {
    const [typed, url] = ['https://typed.acme.example/', 'https://url.acme.example/'];
    expect(address(typed, url, SET)).to.equal(typed);
    expect(address(undefined, url, SET)).to.equal(url);
    expect(address(undefined, '', SET)).to.equal(SET);
    expect(() => address(undefined)).to.throw('No registry is named.');
  });

  const FAULTS: readonly (readonly [args: Parameters<typeof address>, says: string])[] = [
    [['weather', SET, SET], 'the value of REGISTRY is no address'],
    [[undefined, 'weather', SET], 'the value of PORTOLAN_URL is no address'],
    [[undefined, undefined, 'ftp://acme.example'], 'the registry of the settings begins with ftp:'],
    [['https://ada:hunter2@acme.example'], 'REGISTRY holds a name or password'],
  ];
  for (const [args, says] of FAULTS)
    it(`names the place of the invalid address: ${says}`, () => {
      expect(() => address(...args)).to.throw(says);
    });
});
