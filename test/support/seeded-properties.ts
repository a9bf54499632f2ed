import fc from 'fast-check';
import { fastRuns, IS_FAST, IS_SOAK, SEED } from './soak.ts';

/**
 * Gives every property of this process the seed of its run, so that a short form
 * tries the same cases each time. Mocha loads this before every test (`.mocharc.json`).
 */
const DEFAULT_RUNS = 100;
fc.configureGlobal({
  seed: SEED,
  numRuns: IS_SOAK ? 10 * DEFAULT_RUNS : IS_FAST ? fastRuns(DEFAULT_RUNS) : DEFAULT_RUNS,
});
if (IS_SOAK) console.log(`The seed of this process is ${SEED}.`);
