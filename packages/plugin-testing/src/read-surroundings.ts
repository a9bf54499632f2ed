import { mkdir } from 'node:fs/promises';
import type { ReadSurroundings } from '@portolan/plugin-api';

/** Most bytes that the scratch folder of a test may hold. */
export const TEST_SCRATCH_BYTES = 64 * 1024 * 1024;

/**
 * What a source is told with each read in a test. Its scratch folder is made at
 * `scratch`, which whoever calls removes; left out, there is none, and a source
 * that asks for it fails.
 */
export function readSurroundings(scratch?: string, mostBytes: number = TEST_SCRATCH_BYTES): ReadSurroundings {
  return {
    scratch: {
      mostBytes,
      async open() {
        if (scratch === undefined)
          throw new Error('this test has no scratch folder; pass one to readSurroundings');
        await mkdir(scratch, { recursive: true, mode: 0o700 });
        return scratch;
      },
    },
  };
}
