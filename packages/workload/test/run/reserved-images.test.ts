import { isReservedImage } from '@portolan/outbound';
import { createRunConfig } from '@portolan/run-spec';
import { readServerSettings } from '@portolan/run-spec/entries';
import { expect } from 'chai';
import { caught } from '../../../../test/support/caught.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { buildPackage } from '../../src/build/build-package.ts';
import { BuiltIds } from '../../src/build/images/built-ids.ts';
import { provideConfigImage } from '../../src/run/steps/config-image.ts';
import { sourceOf } from '../../src/run/steps/image-source.ts';
import { testWorkloadContext } from '../support/test-workload-context.ts';

const folders = new TemporaryFolders();
const RESERVED = [
  'portolanlocal/npx-cowsay-1-6-0:0123456789abcdef',
  'docker.io/portolanlocal/npx-cowsay:1',
  'localhost/portolanlocal/gateway:1',
  'registry.example:5000/portolanlocal/x@sha256:' + 'a'.repeat(64),
  'mirror.example/hub/portolanlocal/x:1',
  'portolanused/0123:1',
];
const BUILT = { runtime: undefined, caCert: '' };

describe('reserved image names (portolanlocal)', () => {
  after(() => folders.removeAll());

  for (const name of RESERVED) {
    it(`reject ${name} in every place where a user or an entry can name it`, async () => {
      const context = testWorkloadContext(await folders.make());
      const server = readServerSettings({
        name: 'dev.acme/notes',
        version: '1.0.0',
        packages: [{ registryType: 'oci', identifier: name, transport: { type: 'stdio' } }],
      });
      const entry = { server, document: {}, registry: 'r', warnings: [], fields: {} };
      const cases = [
        () =>
          sourceOf({ target: { from: 'image', reference: name }, entry: undefined }, BUILT, context.kinds),
        () =>
          sourceOf({ target: { from: 'registry', server: 'dev.acme/notes' }, entry }, BUILT, context.kinds),
        () => buildPackage({ target: 'npx://cowsay', args: [], tag: name.split('@')[0] ?? '' }, context),
      ];
      for (const run of cases) expect((await caught(run)).code).to.equal('ERR_IMAGE_RESERVED');
    });
  }

  it('do not include similar names', () => {
    const names = ['acme/portolanlocal:1', 'portolanlocal:1', 'portolanlocal2/x', 'acme/portolan-local/x'];
    expect(names.filter(isReservedImage)).to.deep.equal([]);
  });

  it('are looked up only by the stored id of a run config, and never pulled', async () => {
    const tag = 'portolanlocal/npx-notes:1';
    const id = `sha256:${'ab'.repeat(32)}`;
    const calls: string[] = [];
    const context = testWorkloadContext(await folders.make(), {
      inspectImage: (reference) => {
        calls.push(reference);
        return Promise.resolve(undefined);
      },
      provideImage: (reference) => {
        calls.push(`pull ${reference}`);
        return Promise.reject(new Error('pulled'));
      },
    });
    const config = createRunConfig({ name: 'notes', image: tag });
    const options = { onProgress: () => undefined, signal: new AbortController().signal };
    const provide = (): Promise<unknown> => provideConfigImage(config, '', context, options);
    const foreign = await caught(provide);
    expect(foreign.code).to.equal('ERR_IMAGE_GONE');
    expect(foreign.message).to.contain('this state folder has no record of building it');
    expect(foreign.hint).to.contain('"run_target": "npx://PACKAGE"');
    expect(calls).to.deep.equal([]);
    await new BuiltIds(context.directories).keep(tag, id);
    const gone = await caught(provide);
    expect(gone.code).to.equal('ERR_IMAGE_GONE');
    expect(gone.message).to.contain('is not on the engine');
    expect(calls).to.deep.equal([id]);
  });
});
