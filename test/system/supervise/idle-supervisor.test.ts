import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { createRunConfig } from '@portolan/run-spec';
import { expect } from 'chai';
import { IdleSupervisor } from '../../../packages/workload/src/supervisor/idle-supervisor.ts';

const SUPERVISOR = path.join(import.meta.dirname, '../../../packages/cli/bin/portolan-supervisor.js');

describe('IdleSupervisor', function () {
  this.timeout(180_000);
  let root: string;
  let logs: string;

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-idle-'));
    logs = path.join(root, 'logs');
  });

  afterEach(() => rm(root, { recursive: true, force: true }));

  function start(program: readonly string[] = [process.execPath, SUPERVISOR]): Promise<IdleSupervisor> {
    const folders = ['CONFIG_HOME', 'DATA_HOME', 'STATE_HOME', 'RUNTIME_DIR'];
    const own = Object.fromEntries(folders.map((name) => [`XDG_${name}`, root]));
    return IdleSupervisor.start({ program, environment: { ...process.env, ...own }, logs });
  }

  it('leaves nothing behind when it is not needed', async () => {
    const supervisor = await start();
    expect(await readdir(logs)).to.have.length(1);
    await supervisor.end();
    await supervisor.end();
    expect(await readdir(logs)).to.deep.equal([]);
    expect(await supervisor.take(path.join(logs, 'a.log'))).to.equal(undefined);
  });

  it('has its log under the name of the workload once it is taken, and is left alone then', async () => {
    const program = [
      process.execPath,
      '-e',
      'console.error("early"); process.on("message", () => process.exit(0))',
    ];
    const supervisor = await start(program);
    const child = await supervisor.take(path.join(logs, 'a.log'));
    await supervisor.end();
    expect(await readdir(logs)).to.deep.equal(['a.log']);
    expect(child?.exitCode).to.equal(null);
    await eventually(async () =>
      expect(await readFile(path.join(logs, 'a.log'), 'utf8')).to.equal('early\n'),
    );
    child?.send({});
    await eventually(() => expect(child?.exitCode).to.equal(0));
  });

  it('is told what its workload will have in front of it, where there is anything', async () => {
    const say = 'process.on("message", ({ expected }) => console.error(`expected ${expected.name}`))';
    const supervisor = await start([process.execPath, '-e', say]);
    void supervisor.expect(createRunConfig({ name: 'plain' }));
    void supervisor.expect(createRunConfig({ name: 'recorded', tools_filter: ['echo'] }));
    const [log = ''] = await readdir(logs);
    await eventually(async () =>
      expect(await readFile(path.join(logs, log), 'utf8')).to.equal('expected recorded\n'),
    );
    await supervisor.end();
    void supervisor.expect(createRunConfig({ name: 'late', tools_filter: ['echo'] }));
  });

  it('says what it finds of that, and nothing where it cannot be used or nobody is left to say so', async () => {
    const good = createRunConfig({ name: 'good', tools_filter: ['echo'] });
    const wrong = createRunConfig({
      name: 'wrong',
      additional_middleware_configs: [{ type: 'no-such-kind', parameters: {} }],
    });
    const supervisor = await start();
    expect(await supervisor.expect(good)).to.deep.equal([]);
    expect(await supervisor.expect(wrong)).to.equal(undefined);
    const asking = supervisor.expect(good);
    await supervisor.end();
    expect([undefined, []]).to.deep.include(await asking);
    expect(await supervisor.expect(good)).to.equal(undefined);
    const silent = await start([process.execPath, '-e', 'process.on("message", () => process.exit(0))']);
    expect(await silent.expect(good)).to.equal(undefined);
    await silent.end();
  });

  it('ends by itself when whoever started it has left', async () => {
    const supervisor = await start();
    const child = await supervisor.take(path.join(logs, '.starting-taken.log'));
    child?.disconnect();
    await eventually(() => expect(child?.exitCode).to.equal(1), { withinMs: 40_000 });
  });

  it('removes what was left some time ago by one that was killed before its process began, and nothing else', async () => {
    const name = (pid: number): string => `.starting-${pid}-${randomUUID()}.log`;
    const ended = spawn(process.execPath, ['-e', '0']);
    await once(ended, 'exit');
    const kept = [name(process.pid), 'weather.log', '.starting-x.log'];
    await mkdir(logs);
    const longAgo = new Date(Date.now() - 3_600_000);
    for (const file of [...kept, name(ended.pid ?? 0)]) {
      await writeFile(path.join(logs, file), '');
      await utimes(path.join(logs, file), longAgo, longAgo);
    }
    kept.push(name(ended.pid ?? 0));
    await writeFile(path.join(logs, kept.at(-1) ?? ''), '');
    const supervisor = await start();
    await supervisor.end();
    expect(await readdir(logs)).to.have.members(kept);
  });

  it('leaves nothing behind when the program cannot be started', async () => {
    const failed = await start([path.join(root, 'no-such-program')]).then(
      () => false,
      () => true,
    );
    expect([failed, await readdir(logs)]).to.deep.equal([true, []]);
  });
});
