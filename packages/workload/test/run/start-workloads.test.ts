import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openFetch } from '@portolan/outbound';
import { PortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import { createRunConfig } from '@portolan/run-spec';
import { startWorkloads } from '../../src/run/operations/start-workloads.ts';
import { ownProcess } from '../../src/state/process-identity.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { testWorkloadContext } from '../support/test-workload-context.ts';

const folders = new TemporaryFolders();
const { signal } = new AbortController();
const quiet = (): void => undefined;
const options = {
  observerOf: () => ({ step: quiet, image: quiet, warn: quiet, note: quiet, ready: quiet }),
  program: [process.execPath, '-e', 'process.exit(3)'],
  detachEarly: false,
  foreground: false,
  restart: false,
  startTimeoutMs: 1000,
};

describe('startWorkloads', () => {
  afterEach(() => folders.removeAll());

  it('rejects a workload whose run config requires an unsupported protection', async () => {
    const context = testWorkloadContext(await folders.make());
    const config = createRunConfig({
      name: 'acme',
      remote_url: 'https://mcp.acme.example/mcp',
      embedded_auth_server_config: { issuer: 'https://id.acme.example' },
    });
    await context.store.claim(config, await ownProcess());
    await context.store.change('acme', (state) => ({ ...state, status: 'stopped', supervisor: undefined }));
    const [result] = await startWorkloads(['acme'], context, options, signal);
    expect(result?.error).to.have.property('code', 'ERR_RUN_CONFIG_PROTECTION');
    expect(await context.store.getState('acme')).to.include({ status: 'stopped', url: '' });
  });

  const NPM = { registryType: 'npm', identifier: '@acme/weather', version: '1.0.0' };
  for (const { title, image, now, found } of [
    {
      title: 'names another image',
      image: 'acme/good:1',
      now: { registryType: 'oci', identifier: 'acme/evil:1' },
      found: 'acme/evil:1',
    },
    {
      title: 'names another tag of the image',
      image: 'acme/good:1',
      now: { registryType: 'oci', identifier: 'acme/good:2' },
      found: 'acme/good:2',
    },
    { title: 'names a package', image: 'acme/good:1', now: NPM, found: 'npx://@acme/weather@1.0.0' },
    {
      title: 'names another package',
      image: 'portolanlocal/npx-acme-good:0123456789abcdef',
      now: NPM,
      found: 'npx://@acme/weather@1.0.0',
    },
  ]) {
    it(`does not start another image when the first is gone and its registry entry ${title}`, async () => {
      const asked: string[] = [];
      const folder = await folders.make();
      const context = testWorkloadContext(folder, {
        inspectImage: () => Promise.resolve(undefined),
        provideImage: (reference) => {
          asked.push(reference);
          return Promise.reject(new PortolanError('ERR_IMAGE_NOT_FOUND', 'absent', 'It is gone.'));
        },
      });
      const servers = [entryWith(now)];
      const localRegistryPath = path.join(folder, 'catalogue.json');
      await writeFile(localRegistryPath, JSON.stringify({ version: '1.0.0', data: { servers } }));
      const config = createRunConfig({
        name: 'acme',
        image,
        run_target: 'dev.acme/weather',
        registry_server_name: 'dev.acme/weather',
        image_verification: 'disabled',
      });
      await context.store.claim(config, await ownProcess());
      await context.store.change('acme', (state) => ({ ...state, status: 'stopped', supervisor: undefined }));
      const user = { ...context.user, localRegistryPath };
      const [result] = await startWorkloads(['acme'], { ...context, openFetch, user }, options, signal);
      expect(result?.error).to.have.property('code', 'ERR_IMAGE_GONE');
      expect(String(result?.error)).to.include(`now names ${found}`);
      expect(result?.error).to.have.property('hint').which.includes('portolan update acme');
      expect(asked).to.deep.equal(image.startsWith('acme/') ? [image] : []);
      expect((await context.store.getConfig('acme')).config.image).to.equal(image);
    });
  }
});

function entryWith(part: object): object {
  return {
    name: 'dev.acme/weather',
    description: 'Weather.',
    version: '1.0.0',
    packages: [{ ...part, transport: { type: 'stdio' } }],
  };
}
