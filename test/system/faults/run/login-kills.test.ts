import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import fc from 'fast-check';
import { OauthWorld } from '../../../../packages/oauth-client/test/support/oauth-world.ts';
import { type Finished, runPortolan, RunningPortolan } from '../../../support/command-line.ts';
import { limitMs, trials } from '../../../support/soak.ts';
import { giveSecretStore } from '../../../support/own-secrets.ts';
import { foldersBelow, endWorkloads } from '../../../support/user-folders.ts';

/** Number of requests from the start of a login to its workload, plus a few. */
const REQUESTS_OF_A_LOGIN = 16;

const ADDRESS = /^ {2}(https?:\S+)$/m;

describe('kill -9 at each step of a login and its renewal', function () {
  this.timeout(limitMs(240_000));
  let root: string;
  let world: OauthWorld;
  let options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> };

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-kills-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    options = { cwd: root, env: { ...foldersBelow(root), PORTOLAN_SECRETS_PASSWORD: 'correct horse' } };
    await giveSecretStore(root, 'correct horse');
    world = await OauthWorld.open();
  });
  after(async () => {
    await endWorkloads(root, options.env);
    await world.close();
    await rm(root, { recursive: true, force: true });
  });

  async function portolan(...args: readonly string[]): Promise<Finished> {
    return await runPortolan(args, options);
  }

  async function done(...args: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await portolan(...args);
    expect(status, stderr).to.equal(0);
    return stdout.trim();
  }

  /** Starts a command and logs in as soon as it prints the address. */
  function begin(...args: readonly string[]): RunningPortolan {
    const running = new RunningPortolan(args, options);
    void running.told(ADDRESS).then(
      ([, address = '']) => world.visit(address).catch(() => undefined),
      () => undefined, // The command ended before.
    );
    return running;
  }

  async function loggingIn(...args: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await begin(...args).finished;
    expect(status, stderr).to.equal(0);
    return stdout.trim();
  }

  const run = (): readonly string[] => {
    const flags = ['--name=chart-room', '--remote-auth', '--remote-auth-skip-browser', '--replace'];
    return ['run', world.remote, ...flags];
  };

  async function ask(url: string): Promise<number> {
    const body = '{"jsonrpc":"2.0","id":7,"method":"tools/list"}';
    const headers = { 'content-type': 'application/json' };
    return (await fetch(url, { method: 'POST', headers, body })).status;
  }

  /** Calls back shortly after the given number of further requests. */
  function atRequest(count: number, laterMs: number, then: () => void): void {
    let seen = 0;
    world.watch = () => {
      seen += 1;
      if (seen !== count) return;
      void pass(laterMs).then(then);
    };
  }

  it('a command killed during a login › does not keep the next one from logging in', async () => {
    const moments = fc.tuple(
      fc.integer({ min: 1, max: REQUESTS_OF_A_LOGIN }),
      fc.integer({ min: 0, max: 40 }),
    );
    await fc.assert(
      fc.asyncProperty(moments, async ([count, laterMs]) => {
        const running = begin(...run());
        atRequest(count, laterMs, () => running.kill('SIGKILL'));
        await running.finished;
        world.watch = () => undefined;
        expect(await ask(await loggingIn(...run()))).to.equal(200);
      }),
      trials({ short: 1, long: 25 }),
    );
  });

  it('a supervisor killed during a renewal › is replaced by one that continues or requests a login', async () => {
    await loggingIn(...run());
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 3 }),
        fc.integer({ min: 0, max: 40 }),
        async (count, laterMs) => {
          const url = (await done('list', '--format', 'json').then((text) => urlIn(text))) ?? '';
          expect(await ask(url)).to.equal(200);
          const pid = await supervisor();
          await world.forgetTokens();
          atRequest(count + 1, laterMs, () => process.kill(pid, 'SIGKILL'));
          await ask(url).catch(() => undefined);
          await eventually(() => expect(isThere(pid)).to.equal(false), { withinMs: 5000 }).catch(() =>
            process.kill(pid, 'SIGKILL'),
          );
          world.watch = () => undefined;
          await done('start', 'chart-room');
          const again = urlIn(await done('list', '--all', '--format', 'json')) ?? '';
          const status = await ask(again);
          expect(status).to.be.oneOf([200, 401]);
          if (status === 200) return;
          await eventually(async () =>
            expect(await done('status', 'chart-room')).to.include('unauthenticated'),
          );
          await loggingIn('login', 'chart-room');
          await eventually(async () => expect(await ask(again)).to.equal(200));
        },
      ),
      trials({ short: 1, long: 25 }),
    );
  });

  async function supervisor(): Promise<number> {
    const file = path.join(root, 'data/portolan/statuses/chart-room.supervisor');
    // SAFETY: a file of Portolan. Without the field, the test fails.
    return (JSON.parse(await readFile(file, 'utf8')) as { readonly pid: number }).pid;
  }
});

function urlIn(list: string): string | undefined {
  // SAFETY: output of Portolan. Without the field, the test fails.
  return (JSON.parse(list) as readonly { readonly url: string }[])[0]?.url;
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
