import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { batchTests, chooseTests, isFast } from '../../../scripts/tests/choose-tests.ts';
import { LONG_FILES, readDurations, usualMs, writeDurations } from '../../../scripts/tests/durations.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const FILES = chooseTests(ROOT, 'all').slice(0, 200);

describe('batchTests', () => {
  const without = batchTests(ROOT, 'all', FILES);

  it('puts every file into one batch, with separate engine batches first', () => {
    expect(without.flatMap(({ files }) => files).toSorted()).to.deep.equal(FILES.toSorted());
    const engines = without.map(({ engine }) => engine);
    expect(engines).to.deep.equal(engines.toSorted((one, other) => Number(other) - Number(one)));
  });

  it('estimates durations without measurements, and begins with slow files', () => {
    const long = Object.keys(LONG_FILES);
    expect(long.filter((file) => !existsSync(path.join(ROOT, file)))).to.deep.equal([]);
    const all = batchTests(ROOT, 'all', chooseTests(ROOT, 'all'));
    expect(
      all.flatMap(({ files }) => files.filter((file, at) => at > 2 && long.includes(file))),
    ).to.deep.equal([]);
    const likely = all
      .filter(({ engine }) => !engine)
      .map(({ files }) =>
        files.reduce((sum, file) => sum + usualMs(file, { isFast: isFast(file), engine: false }), 0),
      );
    expect(Math.max(...likely) - Math.min(...likely)).to.be.at.most(10_000);
  });

  it('balances batches by measured durations, the longest first', () => {
    const others = without.filter(({ engine }) => !engine).flatMap(({ files }) => files);
    const durations = new Map(others.map((file, at) => [file, at % 20 === 0 ? 30_000 : 100]));
    const batches = batchTests(ROOT, 'all', others, durations);
    const took = batches.map(({ files }) => files.reduce((sum, file) => sum + (durations.get(file) ?? 0), 0));
    expect(took).to.deep.equal(took.toSorted((one, other) => other - one));
    expect(Math.max(...took) - Math.min(...took)).to.be.at.most(30_000);
    expect(batches.flatMap(({ files }) => files).toSorted()).to.deep.equal(others.toSorted());
  });

  it('writeDurations › stores durations for the next run, which works without them', async () => {
    const root = await mkdtemp(path.join(tmpdir(), 'portolan-durations-'));
    try {
      expect(readDurations(root)).to.deep.equal(new Map());
      writeDurations(root, new Map([['a.test.ts', 12]]));
      expect(readDurations(root)).to.deep.equal(new Map([['a.test.ts', 12]]));
    } finally {
      await rm(root, { recursive: true });
    }
  });
});
