import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bootTestKernel, startTestIssuer } from '@portolan/plugin-testing';
import { expect } from 'chai';
import plugin from '../src/index.ts';

describe('a configuration with auth mode oauth', () => {
  const boot = (oauth: object) =>
    bootTestKernel({ plugins: [plugin], config: { auth: { mode: 'oauth', oauth, authz: { roles: {} } } } });

  it('starts with the minimal settings, and opens connections through the kernel', async () => {
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

  it('accepts an issuer on loopback without allowPrivateIP', async () => {
    const issuer = await startTestIssuer();
    const { issuerUrl } = issuer;
    const kernel = await boot({ providers: [{ name: 'main', issuerUrl, audience: 'portolan' }] });
    try {
      const [verdict] = (await kernel.authProvider.instance.explainToken?.(issuer.sign())) ?? [];
      expect(verdict?.accepted, verdict?.because).to.equal(true);
    } finally {
      await kernel.close();
      await issuer.close();
    }
  });

  for (const { redirects, allowPrivateIP, isAccepted } of [
    { redirects: false, allowPrivateIP: false, isAccepted: false },
    { redirects: true, allowPrivateIP: false, isAccepted: false },
    { redirects: false, allowPrivateIP: true, isAccepted: true },
    { redirects: true, allowPrivateIP: true, isAccepted: false },
  ])
    it(`${isAccepted ? 'accepts' : 'refuses'} keys on another loopback port that the issuer ${redirects ? 'redirects to' : 'names'} with allowPrivateIP: ${allowPrivateIP}`, async () => {
      const issuer = await startTestIssuer();
      const document = createServer((request, response) => {
        const { port } = document.address() as AddressInfo; // it listens on a port
        const own = `http://127.0.0.1:${port}`;
        const keys = redirects ? `${own}/keys` : issuer.jwksUrl;
        if (request.url === '/keys') response.writeHead(302, { location: issuer.jwksUrl }).end();
        else response.end(JSON.stringify({ issuer: own, jwks_uri: keys }));
      });
      await new Promise<void>((resolve) => document.listen(0, '127.0.0.1', resolve));
      const issuerUrl = `http://127.0.0.1:${(document.address() as AddressInfo).port}`;
      const kernel = await boot({
        providers: [{ name: 'main', issuerUrl, audience: 'portolan', allowPrivateIP }],
      });
      try {
        const token = issuer.sign({ iss: issuerUrl });
        const outcome = await kernel.authProvider.instance.explainToken?.(token).then(
          (verdicts) => verdicts.some(({ accepted }) => accepted),
          () => false,
        );
        expect(outcome).to.equal(isAccepted);
        expect(issuer.requests.length > 0).to.equal(isAccepted);
      } finally {
        await kernel.close();
        await issuer.close();
        document.close();
      }
    });

  it('does not start without providers or with invalid settings', async () => {
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
