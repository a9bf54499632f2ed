import type { writeSync } from 'node:fs';
import { expect } from 'chai';
import { LogOutput } from '../src/log-output.ts';

/** A file on a disk with room for a number of bytes. */
class SmallDisk {
  text = '';
  room: number;

  constructor(room: number) {
    this.room = room;
  }

  // SAFETY: `LogOutput` uses this one form of it.
  readonly write = ((_descriptor: number, bytes: Buffer, offset: number): number => {
    if (this.room === 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    const part = bytes.subarray(offset, offset + this.room);
    this.room -= part.length;
    this.text += part.toString();
    return part.length;
  }) as typeof writeSync;
}

describe('LogOutput', () => {
  it('counts lost lines and reports them once, before the next written line', () => {
    const disk = new SmallDisk(4);
    const output = new LogOutput(2, disk.write);
    output.write('one\n');
    output.write('two\nthree\n');
    output.write('four\n');
    expect(output.lostLines).to.equal(3);
    disk.room = 1000;
    output.write('five\n');
    output.write('six\n');
    const [first, report = '', ...rest] = disk.text.split('\n');
    expect([first, ...rest]).to.deep.equal(['one', 'five', 'six', '']);
    expect(JSON.parse(report)).to.deep.include({
      level: 'warn',
      lost: 3,
      reason: 'no space left on device',
      msg: 'log lines were lost',
    });
    expect(output.lostLines).to.equal(3);
  });

  it('starts a new line after a truncated one, and counts that one as lost', () => {
    const disk = new SmallDisk(6);
    const output = new LogOutput(2, disk.write);
    output.write('one\ntwo\nthree\n');
    expect([disk.text, output.lostLines]).to.deep.equal(['one\ntw', 2]);
    disk.room = 1000;
    output.write('four\n', 'text');
    expect(disk.text).to.equal('one\ntw\nwarning: 2 log lines were lost (no space left on device)\nfour\n');
  });

  it('keeps the count when the disk fills up again during the report', () => {
    const disk = new SmallDisk(0);
    const output = new LogOutput(2, disk.write);
    output.write('one\n');
    disk.room = 5;
    output.write('two\n');
    expect(output.lostLines).to.equal(2);
    disk.room = 1000;
    output.write('three\n', 'text');
    expect(disk.text).to.match(/\nwarning: 2 log lines were lost .*\nthree\n$/);
  });

  it('waits briefly for a slow reader of the pipe', () => {
    const busy = Object.assign(new Error('again'), { code: 'EAGAIN' });
    let refusals = 3;
    let text = '';
    const output = new LogOutput(2, ((_descriptor: number, bytes: Buffer): number => {
      refusals -= 1;
      if (refusals >= 0) throw busy;
      text += bytes.toString();
      return bytes.length;
    }) as typeof writeSync); // SAFETY: as above
    output.write('one\n');
    expect([text, output.lostLines]).to.deep.equal(['one\n', 0]);
    refusals = Number.MAX_SAFE_INTEGER;
    const begun = performance.now();
    output.write('two\n');
    expect(output.lostLines).to.equal(1);
    expect(performance.now() - begun).to.be.below(1000);
  });
});
