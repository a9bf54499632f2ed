import { globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { type Durations, usualMs } from './durations.ts';
import { findNeeds } from './test-needs.ts';

/** Which of the tests: those that start nothing, all, or those that try random cases. */
export type Tier = 'fast' | 'all' | 'soak';

/** Files that one process runs one after another. */
export interface TestBatch {
  readonly files: readonly string[];
  /** Whether it uses the container engine: such ones run one after another, beside the rest, as long as there is a rest. */
  readonly engine: boolean;
}

const PLACES = [
  'packages/*/test/**/*.test.ts',
  'plugins/*/test/**/*.test.ts',
  'examples/*/*.test.ts',
  'test/**/*.test.ts',
];

/** How many processes run tests at once: more than there are cores, by how much the tests wait for others. */
export const SIDES: Readonly<Record<Tier, number>> = { fast: 3, all: 4, soak: 2 };

/**
 * How many files a process takes at most: few where they take long, so that all
 * sides end at the same time. Where they are quick, loading what they test costs
 * the most, so that each side has one process.
 */
const BATCH: Readonly<Record<Tier, { readonly engine: number; readonly others: number }>> = {
  fast: { engine: 0, others: Infinity },
  all: { engine: 3, others: 90 },
  soak: { engine: 1, others: 1 },
};

/** Whether a file, by its place and name alone, promises to start no process, database or container. */
export function isFast(file: string): boolean {
  return !file.endsWith('.slow.test.ts') && !file.startsWith('test/system/');
}

/** The test files of a tier, as paths from the root with slashes. */
export function chooseTests(root: string, tier: Tier): readonly string[] {
  const all = globSync(PLACES, { cwd: root, exclude: ['**/node_modules/**'] })
    .map((file) => file.split(path.sep).join('/'))
    .toSorted();
  if (tier === 'fast') return all.filter((file) => isFast(file));
  if (tier === 'all') return all;
  return all.filter((file) => {
    const text = readFileSync(path.join(root, file), 'utf8');
    return text.includes('/support/soak.ts') || text.includes("from 'fast-check'");
  });
}

/** Test files that were named, or are below a folder that was. Throws for a name that stands for none. */
export function namedTests(root: string, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const found = path.relative(root, path.resolve(name)).split(path.sep).join('/');
    const entry = statSync(path.join(root, found), { throwIfNoEntry: false });
    if (entry?.isFile() === true) return [found];
    const inside = chooseTests(root, 'all').filter((file) => found === '' || file.startsWith(`${found}/`));
    if (inside.length === 0) throw new Error(`${name} is no test file, and no folder that holds one`);
    return inside;
  });
}

/**
 * What one process after another runs, those of the engine apart, which take the
 * longest. By how long the files took the last time, or are likely to take, all
 * batches take about as long as each other, and those that take longest come
 * first, so that no process is alone with one at the end.
 */
export function batchTests(
  root: string,
  tier: Tier,
  files: readonly string[],
  durations: Durations = new Map(),
): readonly TestBatch[] {
  const usesEngine = (file: string): boolean => findNeeds(root, file).some(({ need }) => need === 'engine');
  const sides = Map.groupBy(files, usesEngine);
  return [true, false].flatMap((engine) => {
    const side = sides.get(engine) ?? [];
    const size = engine ? BATCH[tier].engine : BATCH[tier].others;
    const least = engine ? 0 : Math.min(SIDES[tier], side.length);
    const count = Math.max(least, Math.ceil(side.length / size));
    const took = (file: string): number =>
      Math.max(durations.get(file) ?? usualMs(file, { isFast: isFast(file), engine }), 1);
    return share(side, count, took).map((some) => ({ files: some, engine }));
  });
}

/** Deals files out, those that take longest first, each to whoever has least to do. */
function share(
  files: readonly string[],
  count: number,
  took: (file: string) => number,
): readonly (readonly string[])[] {
  const hands = Array.from({ length: count }, () => ({ files: [] as string[], ms: 0 }));
  for (const file of files.toSorted((one, other) => took(other) - took(one))) {
    const hand = hands.reduce((least, one) => (one.ms < least.ms ? one : least));
    hand.files.push(file);
    hand.ms += took(file);
  }
  return hands.toSorted((one, other) => other.ms - one.ms).map(({ files: some }) => some);
}
