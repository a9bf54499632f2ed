import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { EVERYTHING } from '../../../packages/proxy/test/support/everything.ts';
import { type Finished, RunningPortolan, runPortolan } from '../../support/command-line.ts';
import { readSession, wordsOf } from '../../support/examples/recorded-session.ts';
import { foldersBelow, endWorkloads } from '../../support/user-folders.ts';

const IMAGE = 'acme/everything:1';
const HERE = ['--isolate-network=false', '--transport=stdio'];

describe('commands that show workloads', function () {
  this.timeout(120_000);
  let root: string;
  let env: Readonly<Record<string, string>>;

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-look-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    const host = path.resolve(import.meta.dirname, '../../support/process-host/index.ts');
    const programs = { [IMAGE]: [process.execPath, EVERYTHING] };
    const runtimes = { processes: { folder: path.join(root, 'servers'), programs } };
    await writeFile(path.join(root, 'portolan.json'), JSON.stringify({ plugins: [host], runtimes }));
    env = {
      ...foldersBelow(root),
      PORTOLAN_CONFIG: path.join(root, 'portolan.json'),
      PORTOLAN_RUNTIME: 'processes',
    };
  });
  after(async () => {
    await endWorkloads(root, env);
    await rm(root, { recursive: true, force: true });
  });

  const portolan = async (...args: readonly string[]): Promise<Finished> =>
    await runPortolan(args, { cwd: root, env });

  it('print what docs/guides/run/manage-servers.md and logs.md show', async () => {
    await portolan('group', 'create', 'trial');
    const { status, stderr } = await portolan('run', '--name=sums', ...HERE, IMAGE, '--', 'stdio');
    expect(status, stderr).to.equal(0);
    const sessions = await Promise.all([
      readSession('guides/run/manage-servers.md'),
      readSession('guides/run/logs.md', 'Filter'),
    ]);
    for (const shown of sessions.flat()) {
      const said = await portolan(...wordsOf(shown));
      expect(withoutFigures(said.stdout + said.stderr), shown.command).to.equal(withoutFigures(shown.output));
    }
  });

  it('run --foreground prints the output of the server and its address', async () => {
    const running = new RunningPortolan(
      ['run', '--foreground', '--name=seen', ...HERE, IMAGE, '--', 'stdio'],
      { cwd: root, env },
    );
    await running.told(/^Starting default \(STDIO\) server\.\.\.$/m);
    running.kill('SIGINT');
    const { stdout } = await running.finished;
    expect(stdout).to.match(/^(?:http:\/\/127\.0\.0\.1:\d+\/mcp\n)?$/);
  });
});

/** Removes ports, times and the widths of columns. On a fast machine, a workload was just created. */
function withoutFigures(text: string): string {
  return text.trim().replaceAll(/\d+/g, '1').replaceAll(/ {2,}/g, '  ').replaceAll('  now  ', '  1 s ago  ');
}
