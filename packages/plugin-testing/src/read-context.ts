import { mkdir } from 'node:fs/promises';
import type { ReadContext } from '@portolan/plugin-api';

/** Maximum bytes of a test's scratch folder. */
export const TEST_SCRATCH_BYTES = 64 * 1024 * 1024;

/**
 * Returns read options. The scratch folder is created in an existing folder, so that a late read cannot
 * create it again. Without `scratch`, a request for it fails.
 */
export function readContext(scratch?: string, maxBytes: number = TEST_SCRATCH_BYTES): ReadContext {
  return {
    scratch: {
      maxBytes,
      async open() {
        if (scratch === undefined)
          throw new Error('this test has no scratch folder; pass one to readContext');
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
