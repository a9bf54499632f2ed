import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceKind } from '@portolan/plugin-api';
import { expect } from 'chai';
import { TEST_SCRATCH_BYTES } from '../read-context.ts';
import type { ContractCase } from './contract-case.ts';
import {
  fingerprintOf,
  readItems,
  type SourceInUse,
  SourcePicture,
  type SourceUnderTest,
  useSourceWith,
} from './source-under-test.ts';

/** Returns the test cases for the scratch folder. A source that uses none passes them. */
export function scratchCases<Kind extends SourceKind>(
  options: SourceUnderTest<Kind>,
): readonly ContractCase[] {
  const within = (action: (scratch: string) => Promise<void>) => async (): Promise<void> => {
    const folder = await mkdtemp(join(tmpdir(), 'portolan-source-'));
    try {
      await action(join(folder, 'scratch'));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
  const entriesWith = async (scratch: string): Promise<unknown> => {
    let entries: unknown;
    await useSourceWith(scratch, options, async (used) => {
      await fingerprintOf(used);
      entries = await entriesOf(used, options);
    });
    return entries;
  };
  return [
    {
      title: 'reads the same with the scratch folder of an earlier instance, and after it was emptied',
      run: within(async (scratch) => {
        const first = await entriesWith(scratch);
        expect(await entriesWith(scratch), 'with what was kept').to.deep.equal(first);
        await rm(scratch, { recursive: true, force: true });
        expect(await entriesWith(scratch), 'with nothing').to.deep.equal(first);
      }),
    },
    {
      title: 'stays within the size limit of its scratch folder',
      run: within(async (scratch) => {
        await entriesWith(scratch);
        expect(await bytesIn(scratch)).to.be.at.most(TEST_SCRATCH_BYTES);
      }),
    },
    {
      title: 'works after its scratch folder was emptied between two reads',
      run: within((scratch) =>
        useSourceWith(scratch, options, async (used) => {
          const first = await entriesOf(used, options);
          await rm(scratch, { recursive: true, force: true });
          expect(await entriesOf(used, options)).to.deep.equal(first);
        }),
      ),
    },
  ];
}

async function entriesOf(used: SourceInUse, options: SourceUnderTest): Promise<unknown> {
  const picture = new SourcePicture();
  picture.readInFull(await readItems(used, options));
  return picture.entries;
}

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
