import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { batchTests, chooseTests } from '../../../scripts/tests/choose-tests.ts';
import { readDurations, writeDurations } from '../../../scripts/tests/durations.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const FILES = chooseTests(ROOT, 'all').slice(0, 200);

describe('batches of tests', () => {
  const without = batchTests(ROOT, 'all', FILES);

  it('hold every file once, those of the engine apart and before the others', () => {
    expect(without.flatMap(({ files }) => files).toSorted()).to.deep.equal(FILES.toSorted());
    const engines = without.map(({ engine }) => engine);
    expect(engines).to.deep.equal(engines.toSorted((one, other) => Number(other) - Number(one)));
  });

  it('have as many files each where nothing is known', () => {
    const counts = without.filter(({ engine }) => !engine).map(({ files }) => files.length);
    expect(Math.max(...counts) - Math.min(...counts)).to.be.at.most(1);
  });

  it('take about as long each, by how long the files took, and the longest comes first', () => {
    const others = without.filter(({ engine }) => !engine).flatMap(({ files }) => files);
    const durations = new Map(others.map((file, at) => [file, at % 20 === 0 ? 30_000 : 100]));
    const batches = batchTests(ROOT, 'all', others, durations);
    const took = batches.map(({ files }) => files.reduce((sum, file) => sum + (durations.get(file) ?? 0), 0));
    expect(took).to.deep.equal(took.toSorted((one, other) => other - one));
    expect(Math.max(...took) - Math.min(...took)).to.be.at.most(30_000);
    expect(batches.flatMap(({ files }) => files).toSorted()).to.deep.equal(others.toSorted());
  });

  it('keep durations for the next run, and do without them where there are none', async () => {
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
