import { expect } from 'chai';
import { NO_BUILD_SETTINGS } from '@portolan/run-spec';
import { BuildCredentials } from '../../src/build/build-credentials.ts';
import { ownerOf } from '../../src/secrets/secret-owner.ts';
import { resolveSecrets } from '../../src/secrets/resolve-secrets.ts';
import { readAuthFile, setAuthFile, unsetAuthFiles } from '../../src/build/build-environment.ts';
import type { WorkloadContext } from '../../src/workload-context.ts';
import { caught } from '../../../../test/support/caught.ts';
import { keepContext, MemoryStore } from '../support/keep-context.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';

const folders = new TemporaryFolders();
after(() => folders.removeAll());

const CONTENT = '//npm.acme.example/:_authToken=t0psecret\n';

describe('setAuthFile', () => {
  let store: MemoryStore;
  let context: WorkloadContext;

  beforeEach(async () => {
    store = new MemoryStore();
    const usual = keepContext(await folders.make(), { store });
    context = { ...usual, user: { ...usual.user, build: { ...NO_BUILD_SETTINGS, authFiles: ['npmrc'] } } };
  });

  it('stores a credentials file for builds', async () => {
    await setAuthFile('npmrc', CONTENT, context);
    expect(await readAuthFile('npmrc', context)).to.equal(CONTENT);
    const credentials = BuildCredentials.of({ authFiles: ['npmrc'] }, context);
    expect((await credentials?.open())?.authFiles).to.deep.equal({ npmrc: CONTENT });
    await unsetAuthFiles(undefined, context);
    expect([...store.secrets]).to.deep.equal([]);
  });

  it('stores a file that no workload can read, neither by plain nor by full name', async () => {
    await setAuthFile('npmrc', CONTENT, context);
    const owner = ownerOf('w', [], context.store);
    for (const name of ['BUILD_AUTH_FILE_npmrc', '__portolan_builds_BUILD_AUTH_FILE_npmrc']) {
      const error = await caught(() => resolveSecrets([`${name},target=A`], context, owner));
      expect(error.code).to.equal('ERR_SECRET_RESERVED');
    }
  });
});
