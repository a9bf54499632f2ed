import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { caught } from '../../../test/support/caught.ts';
import { skipSuite } from '../../../test/support/skip-suite.ts';
import { type KeyringAccount, keyringOfSystem } from '../src/keyring.ts';

const run = promisify(execFile);
const ACCOUNT: KeyringAccount = { service: 'portolan-test', account: 'of-a-test' };
const SERVICE = 'org.freedesktop.secrets';

/** GNOME's own, on a session bus of the test: that of whoever runs the tests is left alone. */
describe('system keyring (real Secret Service)', function () {
  this.timeout(120_000);
  const processes: ChildProcess[] = [];
  const busBefore = process.env['DBUS_SESSION_BUS_ADDRESS'];
  let root: string | undefined;

  before(async function () {
    if (process.platform !== 'linux') skipSuite(this, 'other systems have keyrings of their own');
    for (const program of ['dbus-daemon', 'dbus-send', 'gnome-keyring-daemon'])
      await run(program, ['--version']).catch((error: { readonly code?: unknown }) => {
        if (error.code === 'ENOENT') skipSuite(this, `no ${program}, of the packages dbus and gnome-keyring`);
      });
    root = await mkdtemp(path.join(tmpdir(), 'portolan-keyring-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    const bus = begin(spawn('dbus-daemon', ['--session', '--nofork', '--print-address']));
    if (bus.stdout === null) throw new Error('the bus says nothing');
    const [address] = await once(createInterface(bus.stdout), 'line');
    process.env['DBUS_SESSION_BUS_ADDRESS'] = String(address);
    const env = { ...process.env, HOME: root, XDG_DATA_HOME: root, XDG_RUNTIME_DIR: path.join(root, 'run') };
    const daemon = begin(
      spawn('gnome-keyring-daemon', ['--unlock', '--components=secrets', '--foreground'], { env }),
    );
    daemon.stdin?.end('password of the keyring');
    // Whoever asks a service that is not there yet has the bus start another one, which nobody unlocks.
    await eventually(async () => expect(await isOnBus()).to.include('boolean true'));
    await eventually(async () => expect(await ask('ReadAlias', 'string:default')).to.include('/login'));
  });
  after(async () => {
    for (const child of processes.toReversed()) {
      const ended = child.exitCode !== null ? undefined : once(child, 'exit');
      child.kill();
      await ended;
    }
    if (busBefore === undefined) delete process.env['DBUS_SESSION_BUS_ADDRESS'];
    else process.env['DBUS_SESSION_BUS_ADDRESS'] = busBefore;
    if (root !== undefined) await rm(root, { recursive: true, force: true });
  });

  function begin(child: ChildProcess): ChildProcess {
    processes.push(child);
    return child;
  }

  async function isOnBus(): Promise<string> {
    const to = ['--dest=org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus.NameHasOwner'];
    return (await run('dbus-send', ['--session', '--print-reply', ...to, `string:${SERVICE}`])).stdout;
  }

  async function ask(method: string, argument: string): Promise<string> {
    const to = [`--dest=${SERVICE}`, '/org/freedesktop/secrets', `org.freedesktop.Secret.Service.${method}`];
    return (await run('dbus-send', ['--session', '--print-reply', ...to, argument])).stdout;
  }

  it('stores a password, and rejects at once when it is locked', async () => {
    expect(await keyringOfSystem.find(ACCOUNT)).to.equal(undefined);
    await keyringOfSystem.keep(ACCOUNT, 'correct horse');
    expect(await keyringOfSystem.find(ACCOUNT)).to.equal('correct horse');
    await ask('Lock', 'array:objpath:/org/freedesktop/secrets/collection/login');
    const uses: readonly (() => Promise<unknown>)[] = [
      () => keyringOfSystem.find(ACCOUNT),
      () => keyringOfSystem.keep(ACCOUNT, 'another'),
    ];
    for (const use of uses) {
      const error = await caught(use);
      expect(error).to.include({ code: 'ERR_SECRET_KEYRING' });
      expect(error.message).to.include('it is locked, and was not unlocked');
    }
  });
});
