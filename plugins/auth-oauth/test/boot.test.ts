import { bootTestKernel, startTestIssuer } from '@portolan/plugin-testing';
import { expect } from 'chai';
import plugin from '../src/index.ts';

describe('a configuration with auth mode oauth', () => {
  const boot = (oauth: object) =>
    bootTestKernel({ plugins: [plugin], config: { auth: { mode: 'oauth', oauth, authz: { roles: {} } } } });

  it('boots with the least there can be, and the kernel opens the connections', async () => {
    const issuer = await startTestIssuer();
    const { issuerUrl } = issuer;
    const kernel = await boot({
      providers: [{ name: 'main', issuerUrl, audience: 'portolan', allowPrivateIP: true }],
    });
    try {
      const [verdict] = (await kernel.authProvider.instance.explainToken?.(issuer.sign())) ?? [];
      expect(verdict?.accepted, verdict?.because).to.equal(true);
    } finally {
      await kernel.close();
      await issuer.close();
    }
  });

  it('does not boot without providers, or with settings that cannot be used', async () => {
    const messageOf = async (oauth: object): Promise<string> => {
      try {
        await (await boot(oauth)).close();
      } catch (error) {
        return error instanceof Error ? error.message : '';
      }
      return 'it boots';
    };
    expect(await messageOf({ providers: [] })).to.match(/providers/);
    expect(
      await messageOf({ providers: [{ name: 'a', issuerUrl: 'http://a.example', audience: 'b' }] }),
    ).to.match(
      /auth\.oauth\.providers\[0\]\.issuerUrl +found an http address of a\.example; expected an https/,
    );
  });
});
