import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { JointReport } from '../../../scripts/tests/joint-report.ts';
import { RunningBatch } from '../../../scripts/tests/run-batch.ts';
import { ROOT } from '../../../scripts/workspace-packages.ts';

const SCRIPT = path.resolve(import.meta.dirname, '../../../scripts/test.ts');

/** Test files of a user in plain JavaScript. */
const FILES = {
  'good.test.mjs': `describe('good', () => { it('passes', () => console.log('said by good')); });`,
  'bad.test.mjs': `describe('bad', () => { it('passes', () => console.log('said before')); it('fails', () => { console.log('said by bad'); throw new Error('as it must'); }); });`,
  'skipped.test.mjs': `describe('away (skipped: no such thing)', () => { it('one'); it('two'); });`,
  'leaving.test.mjs': `
    import { mkdtempSync, rmSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    import path from 'node:path';
    it('leaves one of two temporary folders', () => {
      mkdtempSync(path.join(tmpdir(), 'left-'));
      rmSync(mkdtempSync(path.join(tmpdir(), 'removed-')), { recursive: true });
    });`,
  'broken.test.mjs': `it('ends the process', () => process.exit(7));`,
  'open.test.mjs': `
    import { createServer } from 'node:net';
    it('leaves a server open', () => void createServer().listen(0, '127.0.0.1'));`,
  'home.test.mjs': `
    import { homedir } from 'node:os';
    it('has a separate home folder', () => { if (homedir() === '/nonexistent' || process.env.XDG_CONFIG_HOME) throw new Error(homedir()); });`,
  'endless.test.mjs': `
    import { writeFileSync } from 'node:fs';
    const file = (name) => new URL(name, import.meta.url);
    describe('endless', () => {
      after(() => writeFileSync(file('cleaned'), ''));
      it('waits for an interrupt', async function () {
        this.timeout(0);
        writeFileSync(file('began'), '');
        await new Promise((resolve) => process.once('SIGINT', () => setImmediate(resolve)));
      });
      it('does not start after an interrupt', () => writeFileSync(file('went-on'), ''));
    });`,
};

describe('scripts/test.ts', function () {
  this.timeout(180_000); // The cases start Mocha.
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-runner-'));
    for (const [name, text] of Object.entries(FILES)) await writeFile(path.join(folder, name), text);
  });
  after(() => rm(folder, { recursive: true }));

  function start(...names: readonly (keyof typeof FILES)[]) {
    const args = [
      '--conditions=@portolan/source',
      SCRIPT,
      '--named',
      ...names.map((name) => path.join(folder, name)),
    ];
    const env = { ...process.env, HOME: '/nonexistent', XDG_CONFIG_HOME: '/nonexistent/config' };
    const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.resume();
    const ended = once(child, 'close').then(([status]: unknown[]) => ({
      status,
      lines: stdout.trimEnd().split('\n'),
    }));
    return { child, ended };
  }

  it('prints a line for each file and the counts, and exits with status 0', async () => {
    const { status, lines } = await start('good.test.mjs', 'skipped.test.mjs').ended;
    expect(status).to.equal(0);
    const shown = lines.map((line) =>
      line.replace(/\(\d.* s, CPU \d.* s\)$/, '(time)').replace(/^\S*\//, ''),
    );
    // The two run at the same time, and either may end first.
    expect([...shown.slice(0, 2).toSorted(), ...shown.slice(2)]).to.deep.equal([
      'good.test.mjs: 1 passed (time)',
      'skipped.test.mjs: 0 passed, 2 skipped (time)',
      'skipped (2): away (skipped: no such thing)',
      '1 passed, 0 failed, 2 skipped',
    ]);
  });

  it('ends a process that a test keeps open after its last one, and reports it', async () => {
    const batch = new RunningBatch([path.join(folder, 'open.test.mjs')], {
      root: ROOT,
      environment: process.env,
      preloads: [],
      onEvent: () => undefined,
      endMs: 100,
    });
    expect((await batch.ended).broken).to.match(/kept open/);
  });

  it('prints all output of named files when a test fails, and exits with status 1', async () => {
    const { status, lines } = await start('good.test.mjs', 'bad.test.mjs').ended;
    expect(status).to.equal(1);
    expect(lines.join('\n'))
      .to.include('said before')
      .and.include('said by bad')
      .and.include('Error: as it must');
    // Failures are also in the last lines, because a log may be cut.
    expect(lines.at(-3)).to.match(/^FAILED \S+bad\.test\.mjs: bad fails$/);
    expect(lines.slice(-2)).to.deep.equal(['    as it must', '2 passed, 1 failed, 0 skipped']);
  });

  it('prints only the failures of a tier, and the last lines of an aborted run', () => {
    const shown = (broken: string | undefined): string => {
      let text = '';
      const write = (more: string): void => {
        text += more;
      };
      const report = new JointReport({
        files: 1,
        longMs: 1000,
        countsCpu: false,
        isTerminal: false,
        repeatsOutput: false,
        write,
      });
      const passing = Array.from({ length: 13_000 }, (_, index) => `    ✔ passes ${index}\n`).join('');
      report.endOf(
        ['a.test.ts'],
        `${passing}\n\n  7 passing (1s)\n  1 failing\n\n  1) a fails:\n`,
        broken,
        true,
      );
      return text;
    };
    expect(shown(undefined)).to.equal('  7 passing (1s)\n  1 failing\n\n  1) a fails:\n');
    expect(shown('ended with status 7').split('\n').length).to.be.within(150, 153);
  });

  it('counts files that a test leaves in the temporary folder as a failure', async () => {
    const { status, lines } = await start('leaving.test.mjs').ended;
    expect(status).to.equal(1);
    expect(lines.join('\n'))
      .to.match(/leaving\.test\.mjs has left left-\w+ in the folder/)
      .and.not.include('removed-');
    expect(lines.at(-1)).to.equal('1 passed, 1 failed, 0 skipped');
  });

  it('counts a process that exits before its last test as a failure', async () => {
    const { status, lines } = await start('broken.test.mjs').ended;
    expect(status).to.equal(1);
    expect(lines.join('\n')).to.include('ended with status 7 before its last test');
    expect(lines.at(-1)).to.equal('0 passed, 1 failed, 0 skipped');
  });

  it('gives tests a home folder that is not the one of the user', async () => {
    const { status, lines } = await start('home.test.mjs').ended;
    expect({ status, last: lines.at(-1) }).to.deep.equal({
      status: 0,
      last: '1 passed, 0 failed, 0 skipped',
    });
  });

  it('exits with status 130 when it is interrupted, after the cleanup of the running test', async () => {
    const { child, ended } = start('endless.test.mjs');
    await eventually(() => readFile(path.join(folder, 'began')), { withinMs: 30_000 });
    child.kill('SIGINT');
    const { status, lines } = await ended;
    expect(status).to.equal(130);
    expect(lines.at(-1)).to.equal('1 passed, 0 failed, 0 skipped');
    await readFile(path.join(folder, 'cleaned'));
    expect(await readFile(path.join(folder, 'went-on')).catch(() => 'absent')).to.equal('absent');
  });
});
