import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { NO_USER_SETTINGS } from '@portolan/run-spec';
import { expect } from 'chai';
import { type ResolvedTarget, resolveTarget } from '../../src/run/steps/resolve-target.ts';
import { serverDocument } from '../../../../test/support/scripted-registry.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { testWorkloadContext } from '../support/test-workload-context.ts';

const folders = new TemporaryFolders();
const { signal } = new AbortController();

describe('resolveTarget', () => {
  afterEach(() => folders.removeAll());

  async function resolve(text: string, names?: readonly string[]): Promise<ResolvedTarget> {
    const folder = await folders.make();
    const file = path.join(folder, 'catalogue.json');
    await writeFile(
      file,
      JSON.stringify({ data: { servers: (names ?? []).map((name) => serverDocument(name)) } }),
    );
    const user = { ...NO_USER_SETTINGS, ...(names === undefined ? {} : { localRegistryPath: file }) };
    return await resolveTarget(text, { ...testWorkloadContext(folder), user }, signal);
  }

  it('says that a plain word becomes an image where no registry is set', async () => {
    const { target, doubt } = await resolve('practise');
    expect(target).to.deep.equal({ from: 'image', reference: 'practise' });
    expect(doubt)
      .to.include('No registry is set')
      .and.to.include('practise is taken for the name of an image');
  });

  it('says so where the registry has no such server, and which one may have been meant', async () => {
    const { target, doubt } = await resolve('practise', ['dev.acme/practice']);
    expect(target.from).to.equal('image');
    expect(doubt)
      .to.include('has no server named practise')
      .and.to.include('did you mean dev.acme/practice?');
    expect((await resolve('dev.acme/practise', ['dev.acme/practice'])).doubt).to.include(
      'dev.acme/practice?',
    );
    expect((await resolve('nginx', ['dev.acme/practice'])).doubt).to.include(
      'taken for the name of an image.',
    );
  });

  it('has no doubt about what can be nothing else, and about a server that is there', async () => {
    for (const text of ['acme/notes', 'notes:1', 'ghcr.io/acme/notes']) {
      expect((await resolve(text)).doubt, text).to.equal(undefined);
    }
    expect((await resolve('practice', ['dev.acme/practice'])).doubt).to.equal(undefined);
    expect((await resolve('acme/notes', ['dev.acme/practice'])).doubt).to.equal(undefined);
  });
});
