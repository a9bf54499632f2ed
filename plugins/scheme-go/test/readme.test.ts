import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';

describe('README.md', () => {
  it('lists its own error codes', async () => {
    const read = async (file: string): Promise<readonly string[]> =>
      (await readFile(join(import.meta.dirname, '..', file), 'utf8')).match(/ERR_[A-Z_]+/g) ?? [];
    expect(await read('README.md')).to.include.members([...(await read('src/errors.ts'))]);
  });
});
