import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { OauthWorld } from '../../../../packages/oauth-client/test/support/oauth-world.ts';
import { type Finished, runPortolan, RunningPortolan } from '../../../support/command-line.ts';
import { skipSuite } from '../../../support/skip-suite.ts';
import { foldersBelow, endWorkloads } from '../../../support/user-folders.ts';

const run = promisify(execFile);
const ADDRESS = /^ {2}(https?:\S+)$/m;
const PASSWORD = { PORTOLAN_SECRETS_PASSWORD: 'correct horse' };

/** The secret store is the encrypted file, on disks in these states. */
describe('a login with an unusable secret store', function () {
  this.timeout(180_000);
  let root: string;
  let secrets: string;
  let world: OauthWorld;
  let environment: Readonly<Record<string, string>>;
  const mounted: string[] = [];

  before(async function () {
    if (process.platform !== 'linux' || process.getuid?.() !== 0)
      skipSuite(this, 'only root can mount disks');
    root = await mkdtemp(path.join(tmpdir(), 'portolan-store-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    environment = foldersBelow(root);
    secrets = path.join(root, 'data/portolan/secrets');
    expect((await portolan(PASSWORD, 'secret', 'provider', 'encrypted')).status).to.equal(0);
    expect((await portolan(PASSWORD, 'secret', 'set', 'other')).status).to.equal(0);
    world = await OauthWorld.open();
  });
  afterEach(async () => {
    for (const folder of mounted.splice(0).toReversed()) await run('umount', [folder]);
  });
  after(async () => {
    if (root === undefined) return;
    await endWorkloads(root, { ...environment, ...PASSWORD });
    await world.close();
    await rm(root, { recursive: true, force: true });
  });

  async function portolan(
    more: Readonly<Record<string, string>>,
    ...args: readonly string[]
  ): Promise<Finished> {
    return await runPortolan(args, { cwd: root, env: { ...environment, ...more }, stdin: 'a value' });
  }

  /** Makes the folder read-only. */
  async function makeReadOnly(): Promise<void> {
    await run('mount', ['--bind', secrets, secrets]);
    mounted.push(secrets);
    await run('mount', ['-o', 'remount,bind,ro', secrets]);
  }

  /** Moves the file to its own disk, which is full except for some blocks. */
  async function makeFull(free: number): Promise<void> {
    const store = await readFile(path.join(secrets, 'encrypted'));
    await run('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=700', 'portolan-full-store', secrets]);
    mounted.push(secrets);
    await writeFile(path.join(secrets, 'encrypted'), store, { mode: 0o600 });
    const { bavail, bsize } = await statfs(secrets);
    await writeFile(path.join(secrets, 'ballast'), Buffer.alloc((bavail - free) * bsize, 1));
  }

  const flags = ['--name=notes', '--remote-auth', '--remote-auth-skip-browser'];
  const nothing = async (): Promise<void> => await Promise.resolve();
  const faults: readonly (readonly [
    what: string,
    prepare: () => Promise<void>,
    password: Readonly<Record<string, string>>,
    says: RegExp,
  ])[] = [
    ['locked', nothing, {}, /are locked|does not open/],
    ['read-only', makeReadOnly, PASSWORD, /not writable[\s\S]*read-only/],
    ['full', () => makeFull(0), PASSWORD, /not writable[\s\S]*no space left/],
    [
      'full but for a few bytes, too few for tokens',
      () => makeFull(1),
      PASSWORD,
      /not writable[\s\S]*no space left/,
    ],
  ];
  for (const [what, prepare, password, says] of faults) {
    it(`fails before it opens the browser and registers a client when the store is ${what}`, async () => {
      await prepare();
      const ended = await portolan(password, 'run', world.remote, ...flags, '--remote-auth-timeout=30s');
      expect(ended.status).to.not.equal(0);
      expect(ended.stderr).to.match(says).and.to.not.match(ADDRESS);
      expect([world.registered, world.tokenRequests]).to.deep.equal([0, []]);
    });
  }

  it('survives a store that becomes read-only, without a failed request or a new login', async () => {
    const options = { cwd: root, env: { ...environment, ...PASSWORD } };
    const running = new RunningPortolan(['run', world.remote, ...flags], options);
    const [, address = ''] = await running.told(ADDRESS);
    await world.visit(address);
    const { status, stdout, stderr } = await running.finished;
    expect(status, stderr).to.equal(0);
    const url = stdout.trim();
    const renewed = async (): Promise<void> => {
      const before = world.renewedAt.length;
      await world.forgetTokens();
      const headers = { 'content-type': 'application/json' };
      const body = '{"jsonrpc":"2.0","id":7,"method":"tools/list"}';
      expect((await fetch(url, { method: 'POST', headers, body })).status).to.equal(200);
      expect(world.renewedAt.length - before).to.equal(1);
    };
    await makeReadOnly();
    await renewed();
    // The start uses the token that could not be stored.
    await renewed();
    const logs = path.join(root, 'data/portolan/logs');
    const files = (await readdir(logs)).filter((file) => file.startsWith('notes'));
    const log = (await Promise.all(files.map((file) => readFile(path.join(logs, file), 'utf8')))).join('');
    expect(log).to.include('the new refresh token could not be stored');
    for (const token of world.issued) expect(log).to.not.include(token);
    await run('umount', [mounted.pop() ?? '']);
    await renewed();
    expect((await portolan(PASSWORD, 'restart', 'notes')).status).to.equal(0);
    await eventually(renewed);
  });
});
