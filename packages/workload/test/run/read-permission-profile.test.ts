import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { readPermissionProfile } from '../../src/run/steps/read/read-permission-profile.ts';
import { caught } from '../../../../test/support/caught.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';

const folders = new TemporaryFolders();
const indexer = {
  name: 'docs-indexer',
  read: ['/srv/docs:/data/docs'],
  write: ['/var/tmp/index:/data/index'],
  network: {
    outbound: { allow_host: ['.acme.dev', 'api.example.org', '10.0.0.0/8', '::1'], allow_port: [443] },
  },
};

describe('readPermissionProfile', () => {
  afterEach(() => folders.removeAll());

  it('reads a file, and rejects invalid or missing ones', async () => {
    const folder = await folders.make();
    const file = path.join(folder, 'p.json');
    await writeFile(file, `\uFEFF${JSON.stringify(indexer)}`);
    expect(await readPermissionProfile(file)).to.deep.include({ name: 'docs-indexer', read: indexer.read });
    await writeFile(file, '{');
    expect(await caught(() => readPermissionProfile(file))).to.have.property(
      'code',
      'ERR_PERMISSION_PROFILE',
    );
    const gone = await caught(() => readPermissionProfile(path.join(folder, 'gone.json')));
    expect(gone.code).to.equal('ERR_NAMED_FILE');
  });
});
