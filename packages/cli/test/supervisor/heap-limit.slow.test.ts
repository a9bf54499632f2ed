import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { SUPERVISOR_ROOM } from '../../src/supervisor/supervisor-program.ts';

const run = promisify(execFile);
const FLAGS = new URL('../../bin/supervisor-flags.js', import.meta.url).href;
const ROOM = path.resolve(import.meta.dirname, '../../src/supervisor/heap-limit.ts');

/**
 * Prints the size of the young generation in MB after many young objects have been alive, before and after
 * there are calls.
 */
const PROGRAM = `
const v8 = require('node:v8');
const kept = [];
const live = () => { for (let at = 0; at < 500_000; at += 1) kept.push({ at }); };
const room = () => v8.getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size / 2 ** 20;
live();
const before = room();
require(process.argv[1]).enlargeHeap();
live();
process.stdout.write(JSON.stringify({ before, after: room() }));
`;

describe('V8 young generation of a supervisor process', () => {
  it('stays at its minimum during the start, and grows with live objects once it serves calls', async () => {
    const { stdout } = await run(process.execPath, [
      ...SUPERVISOR_ROOM,
      '--import',
      FLAGS,
      '-e',
      PROGRAM,
      ROOM,
    ]);
    // Both halves of it: 4 MB, and 16 MB. During a collection, V8 uses a few pages more.
    const { before, after } = JSON.parse(stdout);
    expect(before).to.be.within(4, 7);
    expect(after).to.be.within(16, 23);
  });
});
