import { expect } from 'chai';
import { createRunConfig } from '@portolan/run-spec';
import { verificationOf, verifyRunImage } from '../../src/run/steps/check/verify-image.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { testWorkloadContext } from '../support/test-workload-context.ts';

const folders = new TemporaryFolders();
const { signal } = new AbortController();
const source = { form: 'image', reference: 'ghcr.io/acme/notes:1' } as const;

describe('verifyRunImage', () => {
  afterEach(() => folders.removeAll());

  it('warns about an image of unknown provenance only on request', async () => {
    const context = testWorkloadContext(await folders.make());
    const request = { source, mode: 'warn', provenance: undefined } as const;
    const quiet = await verifyRunImage({ ...request, tellsUnknown: false }, context, signal);
    expect(quiet).to.deep.equal({ warnings: [], pinned: undefined });
    const { warnings } = await verifyRunImage({ ...request, tellsUnknown: true }, context, signal);
    expect(warnings).to.deep.equal([
      'Who has made ghcr.io/acme/notes:1 is not checked: no registry entry says who should have signed it.',
    ]);
  });

  it('rejects such an image when only signed images may run', async () => {
    const context = testWorkloadContext(await folders.make());
    const request = { source, mode: 'enabled', provenance: undefined, tellsUnknown: false } as const;
    const error: unknown = await verifyRunImage(request, context, signal).catch((thrown: unknown) => thrown);
    expect(error).to.have.property('code', 'ERR_IMAGE_PROVENANCE_UNKNOWN');
  });
});

describe('verificationOf', () => {
  afterEach(() => folders.removeAll());

  it('gives no warning for an image of a file without a registry entry', async () => {
    const context = testWorkloadContext(await folders.make());
    const config = createRunConfig({ name: 'w', image: source.reference });
    expect(await verificationOf(config, context, signal)).to.deep.equal({
      mode: 'warn',
      provenance: undefined,
      tellsUnknown: false,
    });
  });
});
