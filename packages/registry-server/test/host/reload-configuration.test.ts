import { AUTH_ONLY_WARNING } from '@portolan/authorization';
import type { KernelAuth, ReloadedAuth } from '@portolan/kernel';
import { createRecordingLogger, type RecordingLogger } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { configurationReloader } from '../../src/host/reload-configuration.ts';

const authOf = (mode: string, authz: KernelAuth['config']['authz']): KernelAuth => ({
  config: { mode, authz, publicPaths: [], claims: {}, requireClaims: true },
  provider: {
    kind: {
      kind: mode,
      hosts: ['registry-server'],
      identifies: true,
      config: { type: 'object' },
      create: () => expect.fail('created'),
    },
    instance: { verify: async () => undefined, identify: () => undefined },
  },
});

describe('configurationReloader', () => {
  let calls: string[];
  let logger: RecordingLogger;
  beforeEach(() => {
    calls = [];
    logger = createRecordingLogger();
  });
  const reloaderOf = (reloadAuth: () => Promise<ReloadedAuth>) =>
    configurationReloader({
      logger,
      auth: authOf('oauth', { roles: {} }),
      reloadAuth: async () => {
        calls.push('read');
        return await reloadAuth();
      },
      reopen: async () => void calls.push('reopen'),
    });
  const lines = () => logger.lines.map(({ level, message }) => `${level} ${message}`);

  it('reopens log files, applies the auth block, and logs one line', async () => {
    const auth = authOf('oauth', { roles: { superAdmin: [] } });
    await reloaderOf(async () => ({ auth, ignored: ['server'] }))();
    expect(calls).to.deep.equal(['reopen', 'read']);
    expect(lines()).to.deep.equal(['info applied auth of the configuration']);
    expect(logger.lines[0]?.fields).to.deep.equal({ mode: 'oauth', afterRestart: ['server'] });
  });

  it('warns when claims no longer have an effect', async () => {
    await reloaderOf(async () => ({ auth: authOf('oauth', undefined), ignored: [] }))();
    expect(lines()).to.deep.equal([`warn ${AUTH_ONLY_WARNING}`, 'info applied auth of the configuration']);
  });

  it('logs an error in one line, and can run again', async () => {
    const fault = new Error('not today');
    const reload = reloaderOf(() => Promise.reject(fault));
    await reload();
    await reload();
    const line = 'error the configuration was not applied; everything stays unchanged';
    expect(lines()).to.deep.equal([line, line]);
    expect(logger.lines[0]?.fields).to.deep.equal({ error: fault });
  });

  it('runs once more for all calls during a run', async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let reads = 0;
    const reload = reloaderOf(async () => {
      await gates[reads++]?.promise;
      return { auth: authOf('oauth', { roles: {} }), ignored: [] };
    });
    const first = reload();
    const more = [reload(), reload()];
    gates[0]?.resolve();
    await first;
    more.push(reload());
    gates[1]?.resolve();
    await Promise.all(more);
    expect(reads).to.be.within(2, 3);
    expect(lines()).to.have.length(reads);
    await reload();
    expect(calls.filter((call) => call === 'read')).to.have.length(reads);
  });
});
