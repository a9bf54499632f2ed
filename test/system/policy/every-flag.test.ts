import { readdir, readFile } from 'node:fs/promises';
import { flagRow, RUN_FLAG_NAMES, type RunFlagName, typedFlag } from '@portolan/run-spec';
import { expect } from 'chai';
import { WorkloadUser } from '../../support/workload-user.ts';
import { FLAG_ROWS, type FlagRow, type Which } from './support/flag-rows.ts';
import { GuardedWorkload, SharedServers } from './support/guarded-workload.ts';
import { type Way, WAYS } from './support/policy-bench.ts';
import { TELLING_PORT, tellingCommand, TellingServer } from './support/telling-server.ts';

/** Groups of flags that need a row each. */
const GROUPS = ['AUTHENTICATION', 'TOOLS AND POLICY', 'AUDIT', 'TELEMETRY', 'TOKEN EXCHANGE'];
const IMAGE = 'portolan-test/node';
// Keys of the table.
const ROWS = Object.entries(FLAG_ROWS) as [RunFlagName, FlagRow][];

const isOf = ({ of = ['all'], refused }: FlagRow, way: Way, which: Which): boolean =>
  of.includes(which) && refused?.[way] === undefined;

describe('every run flag about callers, policies, audit and telemetry', function () {
  this.timeout(120_000); // The hook starts six workloads, four of them in containers.
  let user: WorkloadUser;
  let around: SharedServers | undefined;
  let remote: TellingServer | undefined;
  const workloads = new Map<string, GuardedWorkload>();

  before(async function () {
    const plain = await WorkloadUser.open(this);
    user = await WorkloadUser.at(plain.runtime, {
      PORTOLAN_SECRETS_PASSWORD: 'a long password',
      REGION: 'north',
    });
    await plain.close();
    await user.done('secret', 'provider', 'encrypted');
    around = await SharedServers.open();
    remote = await TellingServer.start();
    const started = WAYS.map(async (way) => {
      for (const which of ['all', 'others'] as const) await start(way, which);
    });
    await Promise.all(started);
  });
  after(async () => {
    await user?.close();
    await around?.close();
    await remote?.close();
  });

  const nameOf = (way: Way, which: Which): string => `${way}-${which}`;
  const at = (way: Way, which: Which): GuardedWorkload => {
    const found = workloads.get(nameOf(way, which));
    if (found === undefined) throw new Error(`${nameOf(way, which)} was not started`);
    return found;
  };

  function flagsOf(way: Way, which: Which, opened: SharedServers): readonly string[] {
    const rows = ROWS.filter(([, row]) => isOf(row, way, which));
    const of = { way, which, name: nameOf(way, which) };
    return rows.flatMap(([flag, { given }]) =>
      given(opened, of).map((value) => `${typedFlag(flag)}=${value}`),
    );
  }

  async function start(way: Way, which: Which): Promise<void> {
    if (around === undefined || remote === undefined) throw new Error('nothing is open');
    const name = nameOf(way, which);
    const flags = [`--name=${name}`, ...flagsOf(way, which, around)];
    const container = ['--isolate-network=false', IMAGE, '--'];
    const url =
      way === 'stdio'
        ? await user.run(...flags, '--transport=stdio', ...container, ...tellingCommand('stdio'))
        : way === 'http'
          ? await user.run(
              ...flags,
              '--transport=streamable-http',
              `--target-port=${TELLING_PORT}`,
              ...container,
              ...tellingCommand('http'),
            )
          : await user.run(...flags, remote.url.href);
    workloads.set(name, new GuardedWorkload({ way, name, url: new URL(url), user, around }));
  }

  const refusals = new Map<string, Promise<string>>();
  /** Returns the error for a flag that is not allowed with a kind of server. Each command line runs once. */
  async function refusalOf(way: Way, which: Which, flags: readonly RunFlagName[]): Promise<string> {
    const opened = around;
    if (opened === undefined) throw new Error('nothing is open');
    const of = { way, which, name: nameOf(way, which) };
    const typed = flags.flatMap((flag) =>
      (FLAG_ROWS[flag]?.given(opened, of) ?? []).map((value) => `${typedFlag(flag)}=${value}`),
    );
    const known = refusals.get(typed.join(' '));
    const said =
      known ??
      user.portolan(['plan', ...typed, `--transport=${way}`, IMAGE]).then(({ status, stderr }) => {
        expect(status, stderr).to.equal(2);
        return stderr.replaceAll(/\s+/g, ' ');
      });
    refusals.set(typed.join(' '), said);
    return await said;
  }

  it('has a test row', () => {
    const wanted = RUN_FLAG_NAMES.filter((name) => GROUPS.includes(flagRow(name).group));
    expect(Object.keys(FLAG_ROWS)).to.have.members(wanted);
  });

  for (const way of WAYS) {
    describe(`in front of a server over ${way}`, () => {
      for (const [flag, row] of ROWS) {
        const [which = 'all'] = row.of ?? ['all'];
        const refused = row.refused?.[way];
        it(`${typedFlag(flag)} ${refused === undefined ? 'does what it says' : `is refused: ${refused}`}`, async () => {
          if (refused === undefined) {
            await row.seen(at(way, which));
            return;
          }
          // The flag alone lacks another one or does not fit the server. With the flags that it needs, it
          // does not fit the server.
          expect(await refusalOf(way, which, [flag])).to.match(
            new RegExp(`^error: ${typedFlag(flag)} cannot be used with (?:the other flags|a server )`),
          );
          const together = ROWS.filter(
            ([, { of = ['all'], refused: why }]) => why?.[way] === refused && of.includes(which),
          ).map(([name]) => name);
          expect(together).to.include(flag);
          expect(await refusalOf(way, which, together)).to.include(refused.replace(/^its server/, 'it'));
        });
      }

      it('all together › apply until the workload stops, with a line each in status', async () => {
        const shown = await user.done('status', nameOf(way, 'all'));
        expect(shown.replaceAll(/\s+/g, ' '))
          .to.include('who may call it')
          .and.to.include('what callers may do');
        await user.done('stop', nameOf(way, 'all'), nameOf(way, 'others'));
        for (const which of ['all', 'others'] as const) {
          for (const [, row] of ROWS) if (isOf(row, way, which)) row.seenAfter?.(at(way, which), which);
        }
      });
    });
  }

  // Mocha runs nested suites after the cases of this suite, so this one ends everything.
  describe('after all cases', () => {
    it('no secret is in a state file, run config or log', async () => {
      const entries = await readdir(user.root, { recursive: true, withFileTypes: true });
      const files = entries
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => `${parentPath}/${name}`);
      for (const name of workloads.keys()) {
        expect(
          files.some((file) => file.endsWith('.log') && file.includes(name)),
          name,
        ).to.equal(true);
      }
      for (const file of files) {
        const text = await readFile(file, 'latin1');
        for (const secret of ['hunter2', 'hunter3', 'swordfish', 'of-the-file'])
          expect(text, file).not.to.include(secret);
      }
      await user.done('rm', ...workloads.keys());
      expect(around?.collector.faults).to.deep.equal([]);
    });
  });
});
