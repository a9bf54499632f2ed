import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { skipTest } from '../../../../test/support/skip-suite.ts';

const SOURCE = path.join(import.meta.dirname, '../../src/supervisor/supervisor-log.ts');
const MEBIBYTE = 1024 * 1024;

describe('SupervisorLog', function () {
  this.timeout(180_000);
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-log-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Runs a script with `log` in a process whose standard error is the file, and returns the lines. */
  async function logs(
    script: string,
    { file = path.join(folder, 'a.log'), environment = {} } = {},
  ): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const handle = await open(file, 'a');
    const program = `import { SupervisorLog } from ${JSON.stringify(SOURCE)}; const log = new SupervisorLog(${JSON.stringify(environment)}); ${script}`;
    const child = spawn(
      process.execPath,
      ['--conditions=@portolan/source', '--no-warnings', '--input-type=module', '-e', program],
      {
        stdio: ['ignore', 'ignore', handle.fd],
      },
    );
    await handle.close();
    expect(await once(child, 'exit')).to.deep.equal([0, null]);
    if (!(await stat(file)).isFile()) return [];
    const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  it('writes one JSON document per line, with the messages of errors', async () => {
    const [line, ...more] = await logs(
      'log.debug({}, "no"); log.warn({ a: 1, error: Object.assign(new Error("x", { cause: new Error("y") }), { code: "E" }) }, "told");',
    );
    expect(more).to.deep.equal([]);
    expect(line).to.include({ level: 'warn', msg: 'told', a: 1 }).and.to.have.property('time');
    expect(line?.['error']).to.include({ code: 'E', message: 'x' });
    expect(line).to.have.nested.property('error.cause.message', 'y');
  });

  it('writes the levels of PORTOLAN_LOG_LEVEL', async () => {
    const lines = await logs('log.debug({}, "yes");', { environment: { PORTOLAN_LOG_LEVEL: 'DEBUG' } });
    expect(lines.map(({ msg }) => msg)).to.deep.equal(['yes']);
  });

  it('masks secrets, however they are quoted', async () => {
    const secret = 'a "quoted"\\n value';
    await logs(
      `log.mask(${JSON.stringify(secret)}); log.mask("abc");
      log.info({ value: ${JSON.stringify(secret)} }, "has abc in it");`.replaceAll('\n', ' '),
    );
    const text = await readFile(path.join(folder, 'a.log'), 'utf8');
    expect(text)
      .to.contain('"value":"[secret]"')
      .and.to.contain('has abc in it')
      .and.not.to.contain('quoted');
  });

  it('limits the size of the file, and keeps the earlier lines in a second file', async () => {
    const file = path.join(folder, 'a.log');
    const lines = await logs(
      `log.moveTo(${JSON.stringify(file)}); const text = "x".repeat(1000); for (let at = 0; at < 12_000; at += 1) log.info({ at, text }, "");`,
      { file },
    );
    expect(lines.at(-1)).to.include({ at: 11_999 });
    for (const one of [file, `${file}.1`]) expect((await stat(one)).size).to.be.below(4.5 * MEBIBYTE);
  });

  it('continues when its disk is full', async function () {
    if (process.platform !== 'linux') skipTest(this, 'only on Linux');
    expect(await logs('log.error({}, "lost");', { file: '/dev/full' })).to.deep.equal([]);
  });
});
