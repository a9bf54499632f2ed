import { mkdir } from 'node:fs/promises';
import type { ReadSurroundings } from '@portolan/plugin-api';

/** Maximum size of a test's scratch folder, in bytes. */
export const TEST_SCRATCH_BYTES = 64 * 1024 * 1024;

/**
 * Returns the read options of a source for a test. The scratch folder is created at `scratch`, in an existing
 * folder that the caller removes, so that a read after the end of the test cannot create it again. Without
 * `scratch`, a source that asks for the folder fails.
 */
export function readSurroundings(scratch?: string, maxBytes: number = TEST_SCRATCH_BYTES): ReadSurroundings {
  return {
    scratch: {
      maxBytes,
      async open() {
        if (scratch === undefined)
          throw new Error('this test has no scratch folder; pass one to readSurroundings');
        try {
          await mkdir(scratch, { mode: 0o700 });
        } catch (error) {
          if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
        }
        return scratch;
      },
    },
  };
}
