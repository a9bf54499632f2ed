import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { ExampleCopy, EXAMPLES } from '../../support/examples/example-copy.ts';

describe('ExampleCopy', () => {
  const source = path.join(EXAMPLES, 'claims-registry');
  // Names that no test writes, and that the example's .gitignore ignores.
  const file = path.join(source, 'registry.db-left-by-a-test');
  const folder = path.join(source, 'node_modules/left-by-a-test');

  beforeEach(async () => {
    await writeFile(file, '');
    await mkdir(folder, { recursive: true });
  });
  afterEach(async () => {
    await rm(file);
    await rm(path.dirname(folder), { recursive: true });
  });

  it('copies no files that a user of the example has left', async () => {
    const copy = await ExampleCopy.make('claims-registry');
    try {
      expect(existsSync(path.join(copy.folder, 'README.md'))).to.equal(true);
      expect(existsSync(path.join(copy.folder, path.basename(file)))).to.equal(false);
      expect(existsSync(path.join(copy.folder, 'node_modules/left-by-a-test'))).to.equal(false);
    } finally {
      await copy.remove();
    }
  });
});
