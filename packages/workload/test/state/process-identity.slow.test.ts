import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { findProcess, isAlive, ownProcess } from '../../src/state/process-identity.ts';

describe('isAlive', () => {
  it('returns true for this process', async () => {
    const own = await ownProcess();
    expect(own.pid).to.equal(process.pid);
    expect(await isAlive(own)).to.equal(true);
    expect(await findProcess(process.pid)).to.deep.equal(own);
  });

  it('returns false for a later process with the same id', async () => {
    const own = await ownProcess();
    expect(await isAlive({ ...own, started: `${own.started}1` })).to.equal(false);
    expect(await isAlive({ ...own, started: '' })).to.equal(true);
  });

  it('returns false after another process has ended', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    await once(child, 'spawn');
    const identity = await findProcess(child.pid ?? 0);
    expect(identity).not.to.equal(undefined);
    if (identity === undefined) return;
    expect(await isAlive(identity)).to.equal(true);
    child.stdin.end();
    await once(child, 'exit');
    expect(await isAlive(identity)).to.equal(false);
  });

  for (const pid of [0, -1, 1.5, Number.NaN, 4_194_304 * 8]) {
    it(`findProcess › returns undefined for the id ${pid}`, async () => {
      expect(await findProcess(pid)).to.equal(undefined);
    });
  }
});
