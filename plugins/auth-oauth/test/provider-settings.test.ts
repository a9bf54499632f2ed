import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestContext, leavesNothingOpen } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { openProviderSettings } from '../src/config/provider-settings.ts';

const provider = {
  name: 'main',
  issuerUrl: 'https://sso.acme.example',
  audience: 'registry',
  allowPrivateIP: false,
};
const config = { realm: 'mcp-registry', scopes: [], mcpRules: false, allowInsecureIssuers: false };

describe('openProviderSettings', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'portolan-oauth-'));
    await writeFile(join(directory, 'token'), 'one line\n');
  });
  afterEach(() => rm(directory, { recursive: true }));

  it("resolves file paths from the configuration's folder", async () => {
    const providers = [{ ...provider, authTokenFile: 'token' }];
    const settings = await openProviderSettings({ ...config, providers }, createTestContext({ directory }));
    try {
      expect(await settings[0]?.authToken?.readCredential()).to.equal('one line');
    } finally {
      for (const { connection } of settings) await connection.close();
    }
  });

  it('refuses unchecked settings with every problem', async () => {
    const providers = [{ ...provider, issuerUrl: 'http://a.example', jwksUrl: 'x' }];
    const error = await openProviderSettings({ ...config, providers }, createTestContext()).catch(
      (reason: unknown) => reason,
    );
    expect(error).to.include({
      code: 'ERR_OAUTH_CONFIG',
      message:
        'The settings in auth.oauth have problems, 2 in all:\n' +
        '  providers[0].issuerUrl: found an http address of a.example; expected an https address; http is for the hosts localhost, 127.0.0.1 and ::1\n' +
        '  providers[0].jwksUrl: found no absolute address; expected an https address',
    });
  });

  it('closes all providers when one cannot be opened', async () => {
    const context = createTestContext({ directory });
    let opened = 0;
    const openFetch: typeof context.openFetch = async (options) => {
      opened += 1;
      if (opened === 2) throw new Error('no more connections');
      return await context.openFetch(options);
    };
    await leavesNothingOpen(async () => {
      const providers = [provider, { ...provider, name: 'second', audience: 'other' }];
      const error = await openProviderSettings({ ...config, providers }, { ...context, openFetch }).catch(
        (reason: unknown) => reason,
      );
      expect(error).to.include({ message: 'no more connections' });
    });
  });
});
