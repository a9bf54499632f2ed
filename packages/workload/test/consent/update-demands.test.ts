import { createRunConfig } from '@portolan/run-spec';
import { readServerSettings } from '@portolan/run-spec/entries';
import { expect } from 'chai';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { findMissingGrants } from '../../src/consent/require-consent.ts';
import { recordWorkload, revokeTrust } from '../../src/consent/trust-records.ts';
import { demandsOfUpdate } from '../../src/consent/update-demands.ts';
import { isVersionOf } from '../../src/run/steps/image-source.ts';
import { testWorkloadContext, type TestWorkloadContext } from '../support/test-workload-context.ts';

const { signal } = new AbortController();
const REGISTRY = 'https://registry.acme.example';
const MOUNT = {
  kind: 'mount',
  line: 'write ~/share',
  subject: '~/share',
  setting: 'permission_profile.write[0]',
} as const;
const SECRET = {
  kind: 'secret',
  line: 'gives the secret GITHUB_TOKEN to the server acme/good',
  subject: 'GITHUB_TOKEN',
  destination: 'the server acme/good',
  setting: 'secrets[0]',
} as const;
const asker = { author: 'entry', origin: REGISTRY, name: 'dev.acme/weather' } as const;
const earlier = createRunConfig({
  name: 'weather',
  image: 'acme/good:1',
  run_target: 'dev.acme/weather',
  registry_server_name: 'dev.acme/weather',
});

describe('demandsOfUpdate', () => {
  const folders = new TemporaryFolders();
  after(() => folders.removeAll());
  let context: TestWorkloadContext;
  beforeEach(async () => {
    context = testWorkloadContext(await folders.make());
  });

  const started = async (): Promise<void> => {
    const demands = { grants: [MOUNT, SECRET], refusals: [] };
    await recordWorkload('weather', { asker, server: 'acme/good', demands }, context);
  };
  const missingIn = async (image: string, registry = REGISTRY): Promise<readonly string[]> => {
    const server = readServerSettings({
      name: 'dev.acme/weather',
      version: '2.0.0',
      packages: [{ registryType: 'oci', identifier: image, transport: { type: 'stdio' } }],
    });
    const isSame = isVersionOf(earlier, { form: 'image', reference: image });
    const request = await demandsOfUpdate(earlier, { server, registry, isSame }, context, signal);
    return (await findMissingGrants(request, context)).map(({ line }) => line);
  };

  it('requires no consent for another version of the same image with the same grants', async () => {
    await started();
    expect(await missingIn('acme/good:2')).to.deep.equal([]);
    expect(await missingIn(`acme/good@sha256:${'a'.repeat(64)}`)).to.deep.equal([]);
  });

  for (const image of ['adv-evil:1', 'acme/good-evil:1', 'registry.evil.example/acme/good:1']) {
    it(`requires consent for all grants when the entry names ${image}`, async () => {
      await started();
      const [name = ''] = image.split(/:1$/);
      expect(await missingIn(image)).to.deep.equal([
        `runs ${image} in place of acme/good:1, with all settings of the workload weather`,
        'write ~/share',
        `gives the secret GITHUB_TOKEN to the server ${name}`,
      ]);
    });
  }

  it('requires consent for another image, even if the first one needed no grants', async () => {
    expect(await missingIn('acme/good:2')).to.deep.equal([]);
    expect(await missingIn('adv-evil:1')).to.have.length(1);
  });

  it('requires consent for all grants when another registry has the entry, or the consent was revoked', async () => {
    await started();
    expect(await missingIn('acme/good:2', 'https://other.example')).to.deep.equal([MOUNT.line, SECRET.line]);
    await revokeTrust('weather', context);
    expect(await missingIn('acme/good:2')).to.deep.equal([MOUNT.line, SECRET.line]);
  });

  it('requires consent for a private registry address in the newer version', async () => {
    await started();
    expect(await missingIn('10.0.0.7:5000/acme/good:2')).to.include(
      'pulls its image from 10.0.0.7:5000 in a private network',
    );
  });
});
