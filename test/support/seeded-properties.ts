import fc from 'fast-check';
import { IS_SOAK, SEED } from './soak.ts';

/**
 * Gives every property of this process the seed of its run, so that a short form
 * tries the same cases each time. Mocha loads this before every test (`.mocharc.json`).
 */
fc.configureGlobal(IS_SOAK ? { seed: SEED, numRuns: 1000 } : { seed: SEED });
if (IS_SOAK) console.log(`The seed of this process is ${SEED}.`);
