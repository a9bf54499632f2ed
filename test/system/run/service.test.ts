import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { EVERYTHING } from '../../../packages/proxy/test/support/everything.ts';
import { type Finished, NO_DEFAULT_REGISTRY, runPortolan } from '../../support/command-line.ts';
import { readSession, type RecordedCommand, wordsOf } from '../../support/examples/recorded-session.ts';
import { foldersBelow, endWorkloads } from '../../support/user-folders.ts';
import type { ListedWorkload } from '../../support/workload-user.ts';
import { expectUsable } from '../clients/connect-client.ts';

const IMAGE = 'acme/everything:1';
const HERE = ['--isolate-network=false', '--transport=streamable-http'];

describe('portolan service', function () {
  this.timeout(180_000);
  let root: string;
  let env: Readonly<Record<string, string>>;
  let url: string;
  let shown: readonly RecordedCommand[];

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-service-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    // The units of this machine are not listed.
    await mkdir(path.join(root, 'bin'));
    for (const [name, answer] of [
      ['systemctl', ''],
      ['loginctl', 'echo yes'],
    ] as const) {
      await writeFile(path.join(root, 'bin', name), `#!/bin/sh\n${answer}\n`);
      await chmod(path.join(root, 'bin', name), 0o755);
    }
    const host = path.resolve(import.meta.dirname, '../../support/process-host/index.ts');
    const programs = { [IMAGE]: [process.execPath, EVERYTHING] };
    const runtimes = { processes: { folder: path.join(root, 'servers'), programs } };
    await writeFile(path.join(root, 'portolan.json'), JSON.stringify({ plugins: [host], runtimes }));
    env = {
      ...foldersBelow(root),
      PATH: `${path.join(root, 'bin')}:${process.env['PATH'] ?? ''}`,
      PORTOLAN_CONFIG: 'portolan.json',
      PORTOLAN_RUNTIME: 'processes',
    };
    shown = await readSession('guides/run/start-at-login.md');
    for (const name of ['notes', 'sums']) {
      const { status, stdout, stderr } = await portolan(
        'run',
        `--name=${name}`,
        ...HERE,
        IMAGE,
        '--',
        'streamableHttp',
      );
      expect(status, stderr).to.equal(0);
      url = stdout.trim();
    }
  });
  after(async () => {
    await endWorkloads(root, env);
    await rm(root, { recursive: true, force: true });
  });

  const portolan = async (...args: readonly string[]): Promise<Finished> =>
    await runPortolan(args, { cwd: root, env });
  const unitFile = (): string => path.join(root, 'config/systemd/user/portolan.service');

  /** Runs a command of docs/guides/run/start-at-login.md. The user's home, times and ports may differ. */
  async function take(step: RecordedCommand | undefined): Promise<void> {
    if (step === undefined) throw new Error('the page shows less');
    const { stdout, stderr } = await portolan(...wordsOf(step));
    expect(plain(`${stdout}${stderr}`), step.command).to.equal(plain(step.output));
  }
  const plain = (text: string): string =>
    text
      .trim()
      .replaceAll(path.join(root, 'config'), '/home/ann/.config')
      .replaceAll(/\d+ (?:s|min) ago/g, '1 s ago')
      .replaceAll(/\d+/g, '1')
      .replaceAll(/ {2,}/g, '  ');

  async function statuses(): Promise<Readonly<Record<string, string>>> {
    const { stdout } = await portolan('list', '--all', '--format', 'json');
    // SAFETY: output of Portolan. A test that reads a missing field fails.
    const listed = JSON.parse(stdout) as readonly ListedWorkload[];
    return Object.fromEntries(listed.map(({ name, status }) => [name, status]));
  }

  /** Signals, or none, that the supervisor of `sums` gets when the machine shuts down. */
  async function goDown(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const text = await readFile(path.join(root, 'data/portolan/statuses/sums.json'), 'utf8');
    // SAFETY: a file of Portolan.
    const { process_id: pid } = JSON.parse(text) as { readonly process_id: number };
    process.kill(pid, signal);
    for (const file of signal === 'SIGKILL' ? await readdir(path.join(root, 'servers')) : []) {
      // SAFETY: the runtime of the test writes it.
      const { pids } = JSON.parse(await readFile(path.join(root, 'servers', file), 'utf8')) as {
        readonly pids: readonly number[];
      };
      for (const one of pids) process.kill(one, 'SIGKILL');
    }
    await eventually(async () => expect((await statuses())['sums']).not.to.equal('running'));
  }

  /** Starts a unit like systemd, with its environment only (systemd.exec(5)). */
  async function startUnit(): Promise<Finished> {
    const lines = (await readFile(unitFile(), 'utf8')).split('\n');
    const valuesOf = (key: string): readonly (readonly string[])[] =>
      lines.filter((line) => line.startsWith(`${key}=`)).map((line) => unquoted(line.slice(key.length + 1)));
    const [[program = '', ...args] = []] = valuesOf('ExecStart');
    const variables = valuesOf('Environment')
      .flat()
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] as const);
    const context = {
      HOME: root,
      XDG_RUNTIME_DIR: path.join(root, 'run'),
      ...NO_DEFAULT_REGISTRY,
      ...Object.fromEntries(variables),
    };
    return await new Promise((resolve) => {
      execFile(program, args, { cwd: '/', env: context }, (error, stdout, stderr) =>
        resolve({ status: error === null ? 0 : 1, signal: undefined, stdout, stderr }),
      );
    });
  }

  it('installs a unit that systemd accepts', async () => {
    await take(shown[0]);
    const verified = await new Promise<string>((resolve) => {
      execFile(
        'systemd-analyze',
        ['--user', 'verify', unitFile()],
        { env: { ...process.env, XDG_RUNTIME_DIR: path.join(root, 'run') } },
        (error, _out, stderr) => resolve(`${error === null ? '' : error.message}${stderr}`),
      );
    });
    // systemd may also print warnings about units of this machine.
    expect(verified.split('\n').filter((line) => /portolan|ENOENT|Failed/.test(line))).to.deep.equal([]);
  });

  it('starts workloads again after a power failure, except those that a user stopped', async () => {
    await take(shown[1]);
    await goDown('SIGKILL');
    const { status, stderr } = await startUnit();
    expect({ status }, stderr).to.deep.equal({ status: 0 });
    await take(shown[2]);
    await expectUsable(url);
  });

  it('starts a workload again whose supervisor ended by SIGTERM', async () => {
    await goDown('SIGTERM');
    expect(await statuses()).to.deep.equal({ notes: 'stopped', sums: 'stopped' });
    expect((await startUnit()).stderr)
      .to.match(/^sums is started$/m)
      .and.not.to.include('notes');
    expect(await statuses()).to.deep.equal({ notes: 'stopped', sums: 'running' });
    expect((await startUnit()).stderr).to.match(/^there is nothing to start$/m);
    await goDown('SIGTERM');
    await portolan('stop', 'sums');
    expect((await startUnit()).stderr).to.match(/^there is nothing to start$/m);
  });

  it('uninstall removes every file of the service', async () => {
    await take(shown[3]);
    expect(await readdir(path.join(root, 'config'))).not.to.include('systemd');
  });
});

/** Returns words in double quotes, as systemd reads them (systemd.syntax(7)). */
function unquoted(text: string): readonly string[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = '']) =>
    word.replaceAll(/\\(.)/g, '$1').replaceAll('%%', '%').replaceAll('$$', '$'),
  );
}
