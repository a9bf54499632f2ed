import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import {
  listenForTokens,
  type TokenListener,
} from '../../../packages/registry/test/support/token-listener.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { type Finished, runPortolan } from '../../support/command-line.ts';
import { recordModules } from '../../support/record-modules.ts';

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'hush-hush-hush' };

describe('database login with dynamicAuth.awsRdsIam', function () {
  this.timeout(300_000); // The cases start the command line and load many modules.

  let folder: string;
  let listener: TokenListener;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-rds-'));
    listener = await listenForTokens(await makeCertificate(folder, ['localhost']));
  });
  after(async () => {
    await listener?.close();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  /** Returns the output of a command with this database, and its loaded modules. */
  const run = async (
    database: Readonly<Record<string, unknown>>,
    env: Readonly<Record<string, string>>,
  ): Promise<Finished & { readonly modules: string }> => {
    const at = { host: '127.0.0.1', port: listener.port, user: 'app', database: 'registry' };
    const config = {
      sources: [{ name: 'published', managed: {} }],
      registries: [{ name: 'main', sources: ['published'] }],
      auth: { mode: 'anonymous' },
      database: { ...at, ...database },
    };
    const file = path.join(folder, 'portolan.config.yaml');
    await writeFile(file, stringify(config));
    const modules = path.join(folder, 'modules.txt');
    await writeFile(modules, '');
    // The command reads no metadata service of this machine and no files of its user.
    const own = { HOME: folder, AWS_EC2_METADATA_DISABLED: 'true', ...recordModules(modules), ...env };
    const finished = await runPortolan(['migrate', 'status', '--config', file], { cwd: folder, env: own });
    return { ...finished, modules: await readFile(modules, 'utf8') };
  };

  it('uses a token that it shows nowhere, and loads the AWS library only for it', async () => {
    const withPassword = await run({ password: 'a-password' }, CREDENTIALS);
    expect(withPassword.modules)
      .to.include('registry')
      .and.not.to.match(/@aws-sdk|@smithy/);
    const withToken = await run({ dynamicAuth: { awsRdsIam: { region: 'eu-central-1' } } }, CREDENTIALS);
    expect(withToken.modules).to.include('@aws-sdk/rds-signer');
    expect(listener.logins.map(({ password }) => password.split('?')[0])).to.deep.equal([
      'a-password',
      `127.0.0.1:${listener.port}/`,
    ]);
    for (const { status, stdout, stderr } of [withPassword, withToken]) {
      expect(status, stderr).to.equal(1);
      expect(`${stdout}${stderr}`).not.to.match(/X-Amz|hush-hush|a-password/);
    }
  });

  it('reports missing credentials with a hint', async () => {
    const { status, stderr } = await run({ dynamicAuth: { awsRdsIam: { region: 'eu-central-1' } } }, {});
    expect(status, stderr).to.equal(1);
    expect(stderr).to.include(`Cannot create a login token for the database 127.0.0.1:${listener.port}`);
    expect(stderr).to.include('hint: Give the process AWS credentials');
  });
});
