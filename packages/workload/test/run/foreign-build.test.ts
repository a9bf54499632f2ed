import { type ContainerEngine, PortolanError } from '@portolan/plugin-api';
import { createRunConfig } from '@portolan/run-spec';
import { expect } from 'chai';
import { provideConfigImage } from '../../src/run/steps/config-image.ts';
import { findForeignBuild } from '../../src/run/steps/foreign-build.ts';
import { caught } from '../../../../test/support/caught.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { testWorkloadContext } from '../support/test-workload-context.ts';

const CASES: readonly (readonly [image: string, packages: readonly string[] | undefined])[] = [
  [
    'npx-modelcontextprotocol-server-everything:20251010110101',
    ['@modelcontextprotocol/server-everything', 'modelcontextprotocol-server-everything'],
  ],
  ['toolhivelocal/uvx-mcp-server-time:20251010110101', ['mcp-server-time']],
  ['npx-everything:20251010110101', ['everything']],
  ['npx-everything:1.0', undefined],
  ['ghcr.io/acme/npx-everything:20251010110101', undefined],
  ['acme/weather:20251010110101', undefined],
];

describe('findForeignBuild', () => {
  for (const [image, packages] of CASES) {
    it(`N5 › recognizes ${image}`, () => {
      expect(findForeignBuild(image)?.packages).to.deep.equal(packages);
    });
  }
});

describe('provideConfigImage', () => {
  const folders = new TemporaryFolders();
  afterEach(() => folders.removeAll());

  it('N5 › names the package and the command for an image that ToolHive built on another machine', async () => {
    const unreachable = new PortolanError('ERR_IMAGE_PULL', 'unavailable', 'It cannot be pulled.');
    const engine = {
      inspectImage: async () => undefined,
      provideImage: async () => await Promise.reject(unreachable),
    } satisfies Partial<ContainerEngine>;
    const context = testWorkloadContext(await folders.make(), engine);
    const { signal } = new AbortController();
    const config = createRunConfig({
      name: 'everything',
      image: 'npx-modelcontextprotocol-server-everything:20251010110101',
      image_verification: 'disabled',
    });
    const error = await caught(() =>
      provideConfigImage(config, '', context, { onProgress: () => undefined, signal }),
    );
    expect(error).to.have.property('code', 'ERR_RUN_TARGET');
    expect(error.message).to.include('npx://@modelcontextprotocol/server-everything');
    expect(error.hint).to.include('portolan run npx://@modelcontextprotocol/server-everything');
  });
});
