import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { renderUnicodeCompact } from 'uqr';
import { OauthWorld } from '../../../packages/oauth-client/test/support/oauth-world.ts';
import { runPortolan } from '../../support/command-line.ts';
import { CommandOnTerminal } from '../../support/command-on-terminal.ts';
import { findFiles, findProcesses, listensAt } from '../../support/workload-traces.ts';
import { giveSecretStore } from '../../support/own-secrets.ts';
import { foldersBelow, endWorkloads } from '../../support/user-folders.ts';

const ADDRESS = /^ {2}(https?:\S+)$/m;
const BLOCKS = /[█▀▄]/;
const FIVE_MINUTES = 300_000;

describe('login on a terminal', function () {
  this.timeout(120_000);
  let root: string;
  let environment: Readonly<Record<string, string>>;
  let world: OauthWorld;
  let settled: readonly string[];

  before(async function () {
    CommandOnTerminal.require(this);
    root = await mkdtemp(path.join(tmpdir(), 'portolan-terminal-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    environment = {
      ...foldersBelow(root),
      PORTOLAN_SECRETS_PASSWORD: 'correct horse',
      BROWSER: 'none',
      TZ: 'UTC',
    };
    await giveSecretStore(root, 'correct horse');
    // The files that any first command leaves.
    await portolan('list');
    settled = await findFiles(root);
  });
  beforeEach(async () => {
    world = await OauthWorld.open();
  });
  afterEach(async () => await world.close());
  after(async () => {
    if (root === undefined) return;
    await endWorkloads(root, environment);
    await rm(root, { recursive: true, force: true });
  });

  async function portolan(...args: readonly string[]): ReturnType<typeof runPortolan> {
    return await runPortolan(args, { cwd: root, env: environment });
  }

  /** Starts to run the remote server. */
  function begin(
    env: Readonly<Record<string, string | undefined>> = {},
    ...flags: readonly string[]
  ): CommandOnTerminal {
    const args = ['run', world.remote, '--name=notes', ...flags];
    return new CommandOnTerminal(args, { cwd: root, env: { ...environment, ...env } });
  }

  /** Makes the authorization server refuse the device flow. */
  function withoutDevices(): void {
    world.edit = (_path, document) => ({ ...document, device_authorization_endpoint: undefined });
  }

  /** Interrupts the command, and expects that no process, port, client, file or secret remains. */
  async function giveUp(command: CommandOnTerminal, port?: URL): Promise<void> {
    command.pressCtrlC();
    const { status, screen } = await command.finished;
    expect(status, screen).to.equal(130);
    expect(screen).to.match(/interrupted\n$/);
    await eventually(async () => expect(await findProcesses(root)).to.deep.equal([]));
    if (port !== undefined) expect(await listensAt(port)).to.equal(false);
    expect(world.unregistered).to.have.lengthOf(1);
    // The store keeps one backup of its file.
    const files = (await findFiles(root)).filter((file) => !file.endsWith('.bak'));
    expect(files).to.deep.equal(settled);
  }

  it('on another device: shows a QR code of the address, and Ctrl-C ends the wait', async () => {
    const command = begin();
    const [, address = ''] = await command.shown(ADDRESS);
    await command.shown(/Press Ctrl-C to cancel/);
    expect(command.screen).to.match(/enter the code [A-Z]{4}-[A-Z]{4}/);
    const drawn = renderUnicodeCompact(address, { border: 2 }).split('\n');
    for (const line of drawn) expect(command.screen).to.include(`\u001B[40;97m${line}\u001B[0m\n`);
    expect(command.screen).to.not.include('Press Enter');
    await giveUp(command);
  });

  it('on another device, without colours: shows the address alone', async () => {
    const command = begin({ NO_COLOR: '1' });
    await command.shown(/Press Ctrl-C to cancel/);
    expect(command.screen).to.not.match(BLOCKS);
    expect(command.screen).to.match(ADDRESS);
    await giveUp(command);
  });

  it('on this host: Enter adds five minutes each time, and Ctrl-C leaves nothing', async () => {
    withoutDevices();
    const began = Date.now();
    const command = begin();
    const [, address = ''] = await command.shown(ADDRESS);
    await command.shown(/Press Enter for five more minutes, Ctrl-C to cancel/);
    expect(command.screen).to.not.match(BLOCKS);
    const redirect = new URL(new URL(address).searchParams.get('redirect_uri') ?? '');
    expect(await listensAt(redirect)).to.equal(true);
    const untils: number[] = [];
    for (const times of [1, 2]) {
      command.pressEnter();
      const [, until = ''] = await command.shown(new RegExp(`(?:Waiting until (\\S+)\\.\\s*){${times}}`));
      const [day = ''] = new Date(began).toISOString().split('T');
      const time = Date.parse(`${day}T${until}Z`);
      untils.push(time < began - 1000 ? time + 24 * 3600_000 : time);
    }
    const [first = 0, second = 0] = untils;
    // The wall clock shows no fractions of a second.
    expect(first - began).to.be.within(FIVE_MINUTES + 29_000, FIVE_MINUTES + 120_000);
    expect(second - first).to.be.within(FIVE_MINUTES - 1000, FIVE_MINUTES + 1000);
    await giveUp(command, redirect);
    expect((await portolan('secret', 'list', '--system')).stdout).to.not.include('notes');
  });

  it('opens $BROWSER, offers no extension with --remote-auth-timeout, and starts the workload', async () => {
    const opened = path.join(root, 'cache/opened');
    const browser = path.join(root, 'cache/browser');
    await mkdir(path.dirname(browser), { recursive: true });
    await writeFile(browser, `#!/bin/sh\nprintf '%s\\n' "$1" > '${opened}'\n`);
    await chmod(browser, 0o700);
    const command = begin({ BROWSER: browser }, '--remote-auth-timeout=1m');
    const [, address = ''] = await command.shown(ADDRESS);
    await eventually(async () => expect(await readFile(opened, 'utf8')).to.equal(`${address}\n`));
    expect(command.screen).to.not.include('Press Enter');
    expect(command.screen).to.not.match(BLOCKS);
    const page = await world.visit(address);
    expect(page.text).to.include('You are logged in').and.to.include('notes');
    const { status, screen } = await command.finished;
    expect(status, screen).to.equal(0);
    expect((await portolan('status', 'notes')).stdout).to.include(world.issuer);
    const again = new CommandOnTerminal(['login', 'notes'], { cwd: root, env: environment });
    await again.shown(/Press Ctrl-C to cancel/);
    again.pressCtrlC();
    expect((await again.finished).status).to.equal(130);
    expect((await portolan('status', 'notes', '--format=json')).stdout).to.match(/"status": ?"running"/);
  });

  it('in the foreground: asks for a scope that a call lacks, while the call waits', async () => {
    await world.close();
    world = await OauthWorld.open({ guardsCalls: true });
    withoutDevices();
    const command = new CommandOnTerminal(['run', world.remote, '--name=charts', '--foreground'], {
      cwd: root,
      env: environment,
    });
    const [, first = ''] = await command.shown(ADDRESS);
    await world.visit(first);
    const [url = ''] = await command.shown(/http:\/\/127\.0\.0\.1:\d+\/mcp/);
    const called = fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"draw","arguments":{}}}',
    });
    const [, , second = ''] = await command.shown(/^ {2}(https?:\S+)$[^]*?^ {2}(https?:\S+)$/m);
    const asked = new URL(second).searchParams.get('scope')?.split(' ');
    expect(asked).to.include.members(['mcp.read', 'mcp.write']);
    await world.visit(second);
    expect((await called).status).to.equal(200);
    command.pressCtrlC();
    const { status, screen } = await command.finished;
    expect(status, screen).to.be.oneOf([0, 130]);
  });
});
