import { userInfo } from 'node:os';
import { authProviderContract, createRecordingLogger, createTestContext } from '@portolan/plugin-testing';
import { expect } from 'chai';
import Koa from 'koa';
import plugin, { localUserAuth } from '../src/index.ts';
import { identityOf } from '../src/local-user-auth.ts';

authProviderContract({
  name: 'local-user',
  kind: localUserAuth,
  blocks: [{}],
  create: (context) => localUserAuth.create({}, context),
  app: () => new Koa(),
  everybody: identityOf(userInfo().username),
});

describe('@portolan/auth-local-user', () => {
  it('contributes the auth kind local-user, only for workloads', () => {
    expect(
      plugin.contributes.authProviders.map(({ kind, hosts, identifies }) => ({ kind, hosts, identifies })),
    ).to.deep.equal([{ kind: 'local-user', hosts: ['workload'], identifies: false }]);
  });

  it('identifies every caller as the same user of this machine', () => {
    expect(identityOf('ada')).to.deep.equal({
      subject: 'ada',
      claims: {
        iss: 'portolan-local',
        sub: 'ada',
        name: 'Local User: ada',
        email: 'ada@localhost',
      },
      user: 'ada',
      provider: 'local-user',
    });
  });

  it('warns once that callers are not authenticated', async () => {
    const logger = createRecordingLogger();
    await localUserAuth.create({}, createTestContext({ logger }));
    const warnings = logger.lines.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ message }) => message)).to.deep.equal([
      'callers are not authenticated (--oidc-issuer enables it): every client that reaches the workload counts as the local user',
    ]);
  });
});
