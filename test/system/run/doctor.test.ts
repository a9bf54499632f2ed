import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { openWorkloadContext } from '../../../packages/cli/src/context/open-workload-context.ts';
import type { Examined } from '@portolan/workload';
import { examine, repairFindings } from '@portolan/workload/doctor';
import { NODE_IMAGE } from '../supervise/support/workload-bench.ts';
import { WorkloadUser } from '../../support/workload-user.ts';

const SERVER = `
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, params } = JSON.parse(line);
  const serverInfo = { name: 'tiny', version: '1' };
  const result = { protocolVersion: params?.protocolVersion, capabilities: {}, serverInfo };
  if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
})`;

describe('portolan doctor', function () {
  this.timeout(120_000); // The cases run real containers.

  let user: WorkloadUser;
  before(async function () {
    user = await WorkloadUser.open(this);
  });
  after(() => user?.close());

  const name = `doctor-${process.pid}`;
  const statuses = (): string => path.join(user.root, 'data/portolan/statuses');
  const words = ['--image-verification=disabled', '--permission-profile=none', '--', 'node', '-e', SERVER];

  /** Kills the supervisor, which cannot clean up. */
  async function killSupervisor(): Promise<void> {
    const text = await readFile(path.join(statuses(), `${name}.supervisor`), 'utf8');
    // SAFETY: a file of Portolan. Without the field, nothing is killed and the test fails.
    const { pid } = JSON.parse(text) as { readonly pid: number };
    process.kill(pid, 'SIGKILL');
    await eventually(() => {
      expect(() => process.kill(pid, 0)).to.throw('ESRCH');
    });
  }

  async function diagnosis(): Promise<{
    readonly status: number | undefined;
    readonly problems: readonly Examined[];
  }> {
    const { status, stdout } = await user.portolan(['doctor', '--format', 'json']);
    // SAFETY: output of Portolan. A test that reads a missing field fails.
    const findings = JSON.parse(stdout) as readonly Examined[];
    return { status, problems: findings.filter(({ level }) => level === 'problem') };
  }

  /** Runs the repairs of `--fix`, except for images of others on the same engine. */
  async function repair(): Promise<readonly Examined[]> {
    const context = await openWorkloadContext({
      environment: { ...process.env, ...user.environment },
      debug: false,
      configFile: undefined,
    });
    try {
      const { signal } = new AbortController();
      const found = (await examine(context, signal)).filter(({ check }) => check !== 'images');
      return await repairFindings(found, signal);
    } finally {
      await context.close();
    }
  }

  it('reports nothing about a running and a stopped workload', async () => {
    await user.run(NODE_IMAGE, `--name=${name}`, ...words);
    expect(await diagnosis()).to.deep.equal({ status: 0, problems: [] });
    await user.done('stop', name);
    expect(await diagnosis()).to.deep.equal({ status: 0, problems: [] });
    await user.done('start', name);
  });

  it('reports and stops a workload whose supervisor was killed', async () => {
    await killSupervisor();
    const { status, problems } = await diagnosis();
    expect(status).to.equal(1);
    expect(problems.map(({ check, found }) => [check, found])).to.deep.equal([
      ['state', `Workload ${name} has the status running, but its supervisor is gone.`],
    ]);
    expect((await repair()).map(({ repaired }) => repaired).filter(Boolean)).to.deep.equal([true]);
    expect((await user.list()).map((one) => [one.name, one.status])).to.deep.equal([[name, 'stopped']]);
    expect(await diagnosis()).to.deep.equal({ status: 0, problems: [] });
  });

  it('reports and removes containers of a workload whose files are lost', async () => {
    await user.done('start', name);
    await killSupervisor();
    const files = (await readdir(user.root, { recursive: true })).filter((file) =>
      path.basename(file).startsWith(`${name}.`),
    );
    for (const file of files) await rm(path.join(user.root, file), { recursive: true });
    const { status, problems } = await diagnosis();
    expect([status, new Set(problems.map(({ check }) => check))]).to.deep.equal([1, new Set(['containers'])]);
    await repair();
    expect(await diagnosis()).to.deep.equal({ status: 0, problems: [] });
    await user.done('logs', 'prune');
    await user.expectNoTraces();
  });
});
