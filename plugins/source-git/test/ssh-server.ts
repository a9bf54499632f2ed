import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, constants, mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../../test/support/free-port.ts';

const PLACES = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/usr/bin/sshd'];
/** Where sshd wants to have a folder when it is started by root. */
const PRIVILEGE_FOLDER = '/run/sshd';

/** The program, where this machine has it. */
export async function findSshd(): Promise<string | undefined> {
  for (const place of PLACES) {
    const isThere = await access(place, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return place;
  }
  return undefined;
}

/** An sshd on loopback in the foreground, with keys and settings of its own, for whoever runs the tests. */
export class SshServer {
  readonly port: number;
  readonly user = userInfo().username;
  /** Files in the folder: key of the client, known hosts, and those of a stranger. */
  readonly folder: string;
  readonly #child: ChildProcess;

  private constructor(port: number, folder: string, child: ChildProcess) {
    this.port = port;
    this.folder = folder;
    this.#child = child;
  }

  /** As git hosts do, it lets git speak version 2 of its protocol, unless it `speaksVersion2` not. */
  static async start(
    program: string,
    folder: string,
    { speaksVersion2 = true }: { readonly speaksVersion2?: boolean } = {},
  ): Promise<SshServer> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const name of ['host', 'key', 'stranger']) await makeKey(folder, name);
    await makePrivilegeFolder();
    for (let tries = 0; tries < 5; tries += 1) {
      const port = await freePort();
      const publicKey = await readFile(join(folder, 'host.pub'), 'utf8');
      await writeFile(
        join(folder, 'known_hosts'),
        `[127.0.0.1]:${port} ${publicKey}[git.acme.example]:${port} ${publicKey}`,
      );
      await writeFile(join(folder, 'sshd_config'), configuration(folder, port, speaksVersion2));
      const words = ['-D', '-e', '-f', join(folder, 'sshd_config')];
      const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'ignore'] });
      if (await listens(port, child)) return new SshServer(port, folder, child);
      child.kill('SIGKILL');
    }
    throw new Error('sshd does not start');
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}

function configuration(folder: string, port: number, speaksVersion2: boolean): string {
  return `
ListenAddress 127.0.0.1:${port}
HostKey ${folder}/host
AuthorizedKeysFile ${folder}/key.pub
PidFile none
StrictModes no
UsePAM no
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
${speaksVersion2 ? 'AcceptEnv GIT_PROTOCOL' : ''}
# The usual one, against quantum computers too, takes five times the processor's time of all else in a connection.
KexAlgorithms curve25519-sha256
# The shell reads the settings of whoever owns the home, for each of the commands.
SetEnv HOME=${folder}
LogLevel QUIET
`;
}

async function makeKey(folder: string, name: string): Promise<void> {
  const child = spawn('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', join(folder, name)]);
  await once(child, 'exit');
  await chmod(join(folder, name), 0o600);
}

/** It stays: another suite may have an sshd at the same time, which answers nobody without it. */
async function makePrivilegeFolder(): Promise<void> {
  if (process.getuid?.() === 0) await mkdir(PRIVILEGE_FOLDER, { recursive: true, mode: 0o755 });
}

async function listens(port: number, child: ChildProcess): Promise<boolean> {
  for (let tries = 0; tries < 400 && child.exitCode === null; tries += 1) {
    const socket = connect(port, '127.0.0.1');
    const isThere = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isThere) return true;
    await delay(25);
  }
  return false;
}
