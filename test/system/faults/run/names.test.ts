import path from 'node:path';
import { expect } from 'chai';
import { IS_SOAK } from '../../../support/soak.ts';
import { ask, openSession } from '../../supervise/support/mini-servers.ts';
import { expectFailed, useFaultStage } from './support/fault-stage.ts';
import { overHttp, overStdio, program, SILENT } from './support/faulty-servers.ts';

/** Number of workloads, with three containers each. */
const MANY = IS_SOAK ? 20 : 8;

describe('concurrent `portolan run` commands', function () {
  this.timeout(240_000);
  const stage = useFaultStage();

  it('lets one of two runs with one name win, and names --replace to the other', async () => {
    const name = stage.name();
    const both = [1, 2].map(() => stage.begin(stage.words(name, ...overStdio())).finished);
    const [won, lost] = (await Promise.all(both)).toSorted(
      (one, other) => Number(one.status) - Number(other.status),
    );
    expect(won?.status, won?.stderr).to.equal(0);
    if (lost === undefined) throw new Error('there were not two');
    expectFailed(lost, /already exists\n.*--replace/);
    const later = await stage.begin(stage.words(name, ...overStdio())).finished;
    expectFailed(later, /already exists\n.*--replace/);
    const listed = await stage.user.list();
    expect(listed).to.have.length(1);
    expect(listed[0]).to.include({ name, status: 'running', url: won?.stdout.trim() });
    const replaced = await stage.begin(stage.words(name, '--replace', ...overHttp())).finished;
    // The workload keeps the address.
    expect(replaced, replaced.stderr).to.include({ status: 0, stdout: won?.stdout });
    expect(await stage.listed(name)).to.include({ status: 'running', transport: 'streamable-http' });
    await stage.user.removeAll(name);
  });

  it('keeps the earlier workload stopped and startable when its replacement fails', async () => {
    const name = stage.name();
    const url = await stage.runs(name, ...overStdio());
    const failing = stage.words(name, '--replace', ...program('process.exit(3)'));
    expectFailed(await stage.begin(failing).finished, /earlier workload \S+ is stopped\.[^]*portolan start/);
    expect(await stage.listed(name)).to.include({ status: 'stopped' });
    expect(await stage.user.done('start', name)).to.equal(`${url}\n`);
    expect(await ask(url, 'tools/list', {}, await openSession(url))).to.deep.equal({ tools: [] });
    await stage.user.removeAll(name);
  });

  it('refuses a name that another state folder uses on the engine, and names that folder', async () => {
    const name = stage.name();
    const url = await stage.runs(name, ...overStdio());
    const other = await stage.anotherUser();
    const folder = path.dirname(stage.stateFile(name));
    const refused = await other.portolan(stage.words(name, ...overStdio()));
    expectFailed(refused, folder);
    await other.expectNoTraces();
    expectFailed(await other.portolan(['rm', name]), name);
    expect(await stage.listed(name)).to.include({ status: 'running', url });
    await stage.user.removeAll(name);
    // After that the name is free.
    await other.run(...stage.words(name, ...overStdio()).slice(1));
    expectFailed(
      await stage.begin(stage.words(name, ...overStdio())).finished,
      path.join(other.root, 'data'),
    );
    await other.removeAll(name);
    await stage.user.expectNoTraces();
  });

  it('leaves nothing when another command removes the workload during its start', async () => {
    const name = stage.name();
    const starting = stage.begin(stage.words(name, ...program(SILENT)));
    await stage.seen(name, 'session');
    expect(await stage.listed(name)).to.include({ status: 'starting' });
    await stage.user.removeAll(name);
    expectFailed(await starting.finished, 'was stopped before it was ready');
    await stage.user.expectNoTraces();
    expect(await stage.user.list()).to.deep.equal([]);
  });

  it('lets the supervisor finish the start when its own process is killed', async () => {
    const name = stage.name();
    const starting = stage.begin(stage.words(name, ...program(SILENT)));
    await stage.seen(name, 'session');
    starting.kill('SIGKILL');
    await starting.finished;
    expect(await stage.listed(name)).to.include({ status: 'starting' });
    await stage.user.removeAll(name);
  });

  it(`starts ${MANY} workloads at once`, async () => {
    const names = Array.from({ length: MANY }, () => stage.name());
    const runs = await Promise.all(
      names.map((name) => stage.begin(stage.words(name, '--start-timeout', '2m', ...overStdio())).finished),
    );
    for (const { status, stderr } of runs) expect(status, stderr).to.equal(0);
    const urls = runs.map(({ stdout }) => stdout.trim());
    expect(new Set(urls).size, 'addresses').to.equal(MANY);
    const listed = await stage.user.list();
    expect(listed.map(({ name }) => name)).to.deep.equal(names.toSorted());
    expect(new Set(listed.map(({ status }) => status))).to.deep.equal(new Set(['running']));
    const answers = await Promise.all(
      urls.map(async (url) => await ask(url, 'tools/list', {}, await openSession(url))),
    );
    for (const answer of answers) expect(answer).to.deep.equal({ tools: [] });
    await stage.user.removeAll('--all');
    for (const url of urls) await expectNobody(url);
  });
});

async function expectNobody(url: string): Promise<void> {
  const answer = await fetch(url).then(
    ({ status }) => status,
    () => 'nobody',
  );
  expect(answer, url).to.equal('nobody');
}
