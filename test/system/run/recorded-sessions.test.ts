import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { EVERYTHING } from '../../../packages/proxy/test/support/everything.ts';
import { type Finished, runPortolan } from '../../support/command-line.ts';
import { expectRecorded, readSession, wordsOf } from '../../support/examples/recorded-session.ts';
import { foldersBelow } from '../../support/workload-user.ts';

const IMAGE = 'acme/everything:1';

describe('the sessions that docs/workloads.md shows', function () {
  this.timeout(120_000);
  let root: string;
  let environment: Readonly<Record<string, string>>;

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-recorded-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    const host = path.resolve(import.meta.dirname, '../../support/process-host/index.ts');
    const programs = { [IMAGE]: [process.execPath, EVERYTHING] };
    const file = path.join(root, 'portolan.json');
    const runtimes = { processes: { folder: path.join(root, 'servers'), programs } };
    await writeFile(file, JSON.stringify({ plugins: [host], runtimes }));
    environment = { ...foldersBelow(root), PORTOLAN_CONFIG: file, PORTOLAN_RUNTIME: 'processes' };
    const flags = ['--isolate-network=false', '--transport=stdio', '--name=everything'];
    const { status, stderr } = await portolan('run', ...flags, IMAGE, '--', 'stdio');
    expect(status, stderr).to.equal(0);
  });
  after(async () => {
    await portolan('rm', '--all');
    await rm(root, { recursive: true, force: true });
  });

  const portolan = async (...args: readonly string[]): Promise<Finished> =>
    await runPortolan(args, { cwd: root, env: environment });

  it('speak to a server', async () => {
    for (const step of await readSession('workloads.md', 'Speaking to a server'))
      expectRecorded(step, await portolan(...wordsOf(step)));
    const logo = await readFile(path.join(root, 'logo.png'));
    expect(logo.subarray(1, 4).toString('latin1')).to.equal('PNG');
  });

  it('end as the guide says', async () => {
    const ends = await Promise.all([
      portolan('mcp', 'call', 'everything', 'get-sum', 'a=2', 'b=3', '--format', 'json'),
      portolan('mcp', 'call', 'everything', 'get-resource-reference', 'resourceId=-1'),
      portolan('mcp', 'call', 'everything', 'get-sum', 'a=2'),
      portolan('mcp', 'tools', 'nobody'),
    ]);
    expect(ends.map(({ status }) => status)).to.deep.equal([0, 1, 2, 1]);
    const [asJson, failed] = ends;
    expect(JSON.parse(asJson.stdout)).to.have.nested.property('content[0].text', 'The sum of 2 and 3 is 5.');
    expect(failed.stdout).to.equal('');
    expect(failed.stderr).to.contain('resourceId');
  });
});
