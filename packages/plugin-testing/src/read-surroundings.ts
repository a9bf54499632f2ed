import { mkdir } from 'node:fs/promises';
import type { ReadSurroundings } from '@portolan/plugin-api';

/** Most bytes that the scratch folder of a test may hold. */
export const TEST_SCRATCH_BYTES = 64 * 1024 * 1024;

/**
 * What a source is told with each read in a test. Its scratch folder is made at
 * `scratch`, in a folder that is there and that whoever calls removes: a read that
 * goes on after its test makes nothing anew. Left out, there is none, and a source
 * that asks for it fails.
 */
export function readSurroundings(scratch?: string, mostBytes: number = TEST_SCRATCH_BYTES): ReadSurroundings {
  return {
    scratch: {
      mostBytes,
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
