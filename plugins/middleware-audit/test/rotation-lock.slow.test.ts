import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { withRotationLock } from '../src/rotation-lock.ts';
import { useTemporaryFolder } from './temporary-folder.ts';

describe('the lock of a rotation', () => {
  const folder = useTemporaryFolder();

  it('lets one at a time run, and is gone afterwards, also when one of them throws', async () => {
    const file = join(folder(), 'audit.log');
    let running = 0;
    let most = 0;
    const run = (at: number): Promise<void> =>
      withRotationLock(file, async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        if (at === 2) throw new Error('no');
      });
    const settled = await Promise.allSettled([0, 1, 2, 3, 4].map(run));
    expect(settled.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(most).to.equal(1);
    expect(await readdir(folder())).to.deep.equal([]);
  });

  it('is taken from a process that has ended with it, by one of several', async () => {
    const file = join(folder(), 'audit.log');
    await writeFile(`${file}.lock`, '');
    const before = new Date(Date.now() - 11_000);
    await utimes(`${file}.lock`, before, before);
    let running = 0;
    let most = 0;
    const run = (): Promise<void> =>
      withRotationLock(file, async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
      });
    await Promise.all([run(), run(), run()]);
    expect(most).to.equal(1);
    expect(await readdir(folder())).to.deep.equal([]);
  });

  it('is waited for, and not for ever', async () => {
    const file = join(folder(), 'audit.log');
    await writeFile(`${file}.lock`, '');
    const refused = withRotationLock(file, () => expect.fail('somebody else has the lock'), 20);
    expect(await refused.catch((error: unknown) => error))
      .to.be.an('error')
      .with.property('message')
      .that.includes('another process is renaming it');
    expect(await readdir(folder())).to.deep.equal(['audit.log.lock']);
  });
});
