import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { secretStoreContext } from '../../src/secrets/secret-files.ts';
import { testWorkloadContext } from '../support/test-workload-context.ts';

const folders = new TemporaryFolders();

describe('files of secret stores', () => {
  after(() => folders.removeAll());

  it('keep the content before the last change in one backup', async () => {
    const { directories, environment } = testWorkloadContext(await folders.make());
    const { files } = secretStoreContext({ directories, environment });
    for (const text of ['one', 'two', 'three']) {
      await files.update('encrypted', 1024, () => Promise.resolve(Buffer.from(text)));
    }
    expect(await readFile(files.pathOf('encrypted'), 'utf8')).to.equal('three');
    expect(await readFile(`${files.pathOf('encrypted')}.bak`, 'utf8')).to.equal('two');
  });
});
