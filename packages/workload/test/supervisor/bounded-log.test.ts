import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { BoundedLog } from '../../src/supervisor/process/bounded-log.ts';
import { skipTest } from '../../../../test/support/skip-suite.ts';

describe('BoundedLog', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-log-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  it('appends lines in order to a file with mode 600', async () => {
    const file = path.join(folder, 'logs', 'notes.log');
    for (const lines of [['one', 'two'], ['three']]) {
      const log = new BoundedLog({ file, maxBytes: 1000 });
      for (const line of lines) log.write(line);
      await log.close();
    }
    expect(await readFile(file, 'utf8')).to.equal('one\ntwo\nthree\n');
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
  });

  it('never takes more than twice the maximum size', async () => {
    const file = path.join(folder, 'notes.log');
    for (let round = 0; round < 20; round += 1) {
      const log = new BoundedLog({ file, maxBytes: 100 });
      log.write('x'.repeat(50));
      await log.close();
    }
    expect((await stat(`${file}.1`)).size).to.be.within(100, 160);
    expect(existsSync(`${file}.2`)).to.equal(false);
  });

  it('drops lines that come too fast', async () => {
    const file = path.join(folder, 'notes.log');
    const log = new BoundedLog({ file, maxBytes: 10_000, maxWaitingBytes: 20 });
    for (let count = 0; count < 10; count += 1) log.write('0123456789');
    await log.close();
    const again = new BoundedLog({ file, maxBytes: 10_000 });
    again.write('last');
    await again.close();
    const text = await readFile(file, 'utf8');
    expect(text.length).to.be.lessThan(200);
    expect(text).to.match(/last\n$/);
  });

  it('drops lines while the disk is full, without an error', async function () {
    if (!existsSync('/dev/full')) skipTest(this, 'no /dev/full on this machine');
    let now = 0;
    const log = new BoundedLog({ file: '/dev/full', maxBytes: 1000, nowMs: () => now });
    log.write('lost');
    await new Promise((resolve) => setImmediate(resolve));
    log.write('lost as well');
    now = 60_000;
    log.write('and this');
    await log.close();
  });
});
