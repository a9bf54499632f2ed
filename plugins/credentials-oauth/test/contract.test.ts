import { createTestCredentialsContext, outgoingCredentialsContract } from '@portolan/plugin-testing';
import type { OutgoingCredentials, WorkloadLogin } from '@portolan/plugin-api';
import { expect } from 'chai';
import plugin, { oauthCredentials } from '../src/index.ts';

const { signal } = new AbortController();
const OUTGOING = {
  method: 'GET',
  url: new URL('https://mcp.acme.example/mcp'),
  headers: {},
  bodyHash: () => Promise.resolve(''),
};
const HANDED = { accessToken: 'an-access-token-of-the-test', expiresAt: undefined, isRenewed: false };

function loggedIn(overrides: Partial<WorkloadLogin>): WorkloadLogin {
  return { ...createTestCredentialsContext().login, isThere: true, ...overrides };
}

async function open(overrides: Partial<WorkloadLogin>): Promise<OutgoingCredentials> {
  return await oauthCredentials.create({}, createTestCredentialsContext({ login: loggedIn(overrides) }));
}

outgoingCredentialsContract({
  name: 'oauth',
  kind: oauthCredentials,
  blocks: [{}],
  create: (context) => oauthCredentials.create({}, { ...context, login: loggedIn({ handed: HANDED }) }),
});

describe('@portolan/credentials-oauth', () => {
  it('contributes the outgoing credentials kind oauth', () => {
    expect(plugin.contributes.outgoingCredentials).to.deep.equal([oauthCredentials]);
  });

  it('adds nothing before the login, and the token afterwards', async () => {
    let changed: (() => Promise<void>) | undefined;
    const kept = {
      issuer: 'https://id.acme.example',
      named: { issuer: undefined, authorizeUrl: undefined, tokenUrl: undefined },
      resource: 'https://mcp.acme.example/mcp',
      scopes: undefined,
      subject: undefined,
      client: { clientId: 'c', clientSecret: undefined },
      refreshToken: undefined,
      accessToken: 'kept-token',
      expiresAt: undefined,
    };
    const credentials = await open({
      isThere: false,
      read: () => Promise.resolve(kept),
      onChange: (then) => {
        changed = then;
        return () => undefined;
      },
    });
    expect(await credentials.credentials(OUTGOING, signal)).to.deep.equal([]);
    await changed?.();
    expect(await credentials.credentials(OUTGOING, signal)).to.deep.equal([
      { name: 'Authorization', value: 'Bearer kept-token' },
    ]);
    await credentials.close?.();
  });

  it('names `portolan login` and the workload once the login has expired, without details of the authorization server', async () => {
    const credentials = await open({});
    const { workload } = createTestCredentialsContext().server;
    const error: unknown = await Promise.resolve(credentials.credentials(OUTGOING, signal)).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).to.include({
      status: 403,
      message: `The login of this workload at the remote server has expired. Log in again: portolan login ${workload}`,
    });
    await credentials.close?.();
  });
});
