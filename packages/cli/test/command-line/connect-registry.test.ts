import { accessWith } from '@portolan/registry-client';
import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { connectRegistry } from '../../src/command-line/connect-registry.ts';
import { StubRegistry } from '../../../../test/support/stub-registry.ts';

describe('connectRegistry', () => {
  let folder = '';
  let stub: StubRegistry;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-connect-'));
    await writeFile(path.join(folder, 'token'), 'of.a.file\n');
    stub = await StubRegistry.start(() => ({ status: 200, body: {} }));
  });
  after(async () => {
    await stub.stop();
    await rm(folder, { recursive: true, force: true });
  });
  async function sent(given: {
    file?: string;
    variable?: string;
    login?: string;
    stdin?: string;
  }): Promise<unknown> {
    const { file, variable, login, stdin = '' } = given;
    const flags = { url: stub.url, 'allow-insecure': false, timeout: '10s', 'token-file': file };
    const client = await connectRegistry(flags, {
      version: '1',
      environment: variable === undefined ? {} : { PORTOLAN_TOKEN: variable },
      stdin: Readable.from([stdin]),
      urlFrom: '--url',
      findLogin: async () => (login === undefined ? undefined : accessWith(login)),
    });
    try {
      stub.answers(() => ({ status: 200, body: {} }));
      await client.ask({ method: 'GET', path: '/v1/me' });
      return stub.seen[0]?.headers.authorization;
    } finally {
      await client.close();
    }
  }

  it('prefers --token-file to PORTOLAN_TOKEN, and that to the login', async () => {
    const file = path.join(folder, 'token');
    expect(await sent({ file, variable: 'of.a.variable', login: 'of.a.login' })).to.equal('Bearer of.a.file');
    expect(await sent({ file: '-', stdin: 'of.a.pipe', variable: 'of.a.variable' })).to.equal(
      'Bearer of.a.pipe',
    );
    expect(await sent({ variable: ' of.a.variable\n', login: 'of.a.login' })).to.equal(
      'Bearer of.a.variable',
    );
    expect(await sent({ variable: '', login: 'of.a.login' })).to.equal('Bearer of.a.login');
    expect(await sent({})).to.equal(undefined);
  });

  it('rejects a variable without a valid token, and does not show it', async () => {
    const error = await sent({ variable: 'sesame open', login: 'of.a.login' }).catch(
      (reason: unknown) => reason,
    );
    expect(error).to.have.property('code', 'ERR_TOKEN_FILE');
    expect(String(error)).to.include('PORTOLAN_TOKEN').and.not.to.include('sesame');
  });
});
