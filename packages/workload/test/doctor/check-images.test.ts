import {
  type ContainerEngine,
  type ImageDescription,
  type Labels,
  PortolanError,
} from '@portolan/plugin-api';
import { expect } from 'chai';
import { planGatewayImage } from '@portolan/isolation';
import { checkImages } from '../../src/doctor/check-images.ts';
import { stateIdOf } from '../../src/state/workload-labels.ts';
import { repairFindings } from '../../src/doctor/examine.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { testWorkloadContext } from '../support/test-workload-context.ts';
import { keep } from './doctor-setup.ts';

const folders = new TemporaryFolders();
const { signal } = new AbortController();
const ENGINE = { os: 'linux', architecture: 'amd64' };
const OLD = 'portolanlocal/gateway:0123456789abcdef';

const image = (references: readonly string[], labels: Labels = {}): ImageDescription => ({
  id: `sha256:${references.join()}`,
  references,
  digests: [],
  os: 'linux',
  architecture: 'amd64',
  labels,
  environment: {},
  entrypoint: [],
  command: [],
  user: '',
  workingDirectory: '',
  exposedPorts: [],
  onBuild: [],
  sizeBytes: 132_000_000,
  createdAt: new Date(0),
});

/** Returns the label of images that were built for the workloads of a state folder. */
const madeFor = (state: string): Labels => ({ 'portolan.dev/built-for': state });

describe('checkImages', () => {
  after(() => folders.removeAll());

  it('finds outdated gateway images, and keeps those in use', async () => {
    const folder = await folders.make();
    const made = madeFor(stateIdOf(testWorkloadContext(folder).directories));
    const { image: current } = await planGatewayImage({
      engine: ENGINE,
      madeImages: { stateId: stateIdOf(testWorkloadContext(folder).directories) },
    });
    const removed: string[] = [];
    const runtime = {
      describe: () => Promise.resolve(ENGINE),
      listImages: (labels: Readonly<Record<string, string>>) =>
        Promise.resolve(
          labels['portolan.dev/image'] === 'gateway'
            ? [image([current.reference], made), image([OLD], made), image(['acme/built-on-one:1'], made)]
            : [],
        ),
      listContainers: () => Promise.resolve([]),
      removeImage: (reference: string) => {
        removed.push(reference);
        return Promise.reject(
          new PortolanError('ERR_IN_USE', 'conflict', `The image "${reference}" is in use.`),
        );
      },
    };
    // The checks call no other function of the engine.
    const context = testWorkloadContext(folder, runtime as unknown as ContainerEngine);
    const found = await checkImages(context, signal);
    expect(found.map(({ level, found: text }) => [level, text])).to.deep.equal([
      ['notice', `No new gateway uses ${OLD} (132 MB).`],
    ]);
    const repaired = await repairFindings(found, signal);
    expect(repaired[0]?.repaired).to.equal(`The image "${OLD}" is in use.`);
    expect(removed).to.deep.equal([OLD]);
  });

  it('offers no removal of images with another or unknown owner, or of images in use by any container', async () => {
    const folder = await folders.make();
    const own = stateIdOf(testWorkloadContext(folder).directories);
    const built = (name: string, builtFor?: string): ImageDescription =>
      image([`portolanlocal/npx-${name}:1`], {
        'portolan.dev/image': 'package',
        'portolan.dev/package-scheme': 'npx',
        'portolan.dev/package-name': name,
        ...(builtFor === undefined ? {} : madeFor(builtFor)),
      });
    const packages = [
      built('unused', own),
      // Only this name shows that a stopped workload of another state folder uses the image.
      { ...built('shared', own), references: ['portolanused/f00:1', 'portolanlocal/npx-shared:1'] },
      built('other', 'f00'),
      built('early'),
      built('running', own),
      built('by-id', own),
    ];
    const other = 'portolanlocal/gateway:fedcba9876543210';
    const gateways = [
      image([OLD], madeFor(own)),
      image([other], madeFor(own)),
      image(['portolanlocal/gateway:f00'], madeFor('f00')),
      image(['portolanlocal/gateway:early']),
    ];
    const runtime = {
      describe: () => Promise.resolve(ENGINE),
      listImages: (labels: Labels) =>
        Promise.resolve(labels['portolan.dev/image'] === 'gateway' ? gateways : packages),
      listContainers: (labels: Labels) => {
        expect(labels).to.deep.equal({});
        return Promise.resolve([
          { image: 'portolanlocal/npx-running:1', imageId: 'sha256:renamed' },
          { image: 'sha256:short', imageId: 'sha256:portolanlocal/npx-by-id:1' },
          { image: OLD, imageId: 'sha256:renamed' },
        ]);
      },
    };
    // The checks call no other function of the engine.
    const context = testWorkloadContext(folder, runtime as unknown as ContainerEngine);
    const found = await checkImages(context, signal);
    const offered = found.filter(({ repair }) => repair !== undefined);
    expect(offered.map(({ found: text }) => / uses (\S+) /.exec(text)?.[1])).to.deep.equal([
      'portolanlocal/npx-unused:1',
      other,
    ]);
    expect(found.filter(({ repair }) => repair === undefined).map(({ found: text }) => text)).to.deep.equal([
      'Not removed, because it is unknown for whom they were built (earlier versions did not record it): portolanlocal/npx-early:1, portolanlocal/gateway:early (264 MB).',
    ]);
  });

  it('removes its own reservation of another state folder’s image when no workload uses it any more', async () => {
    const folder = await folders.make();
    const removed: string[] = [];
    const runtime = {
      describe: () => Promise.resolve(ENGINE),
      listContainers: () => Promise.resolve([]),
      removeImage: (reference: string) => Promise.resolve(void removed.push(reference)),
      listImages: (labels: Labels) =>
        Promise.resolve(labels['portolan.dev/image'] === 'gateway' ? [] : ['done', 'used'].map(borrowed)),
    };
    // The checks call no other function of the engine.
    const context = testWorkloadContext(folder, runtime as unknown as ContainerEngine);
    const own = stateIdOf(context.directories);
    function borrowed(name: string): ImageDescription {
      const names = [`portolanlocal/npx-${name}:1`, `localhost/portolanused/${own}:1`, 'portolanused/f11:1'];
      return image(names, { 'portolan.dev/package-scheme': 'npx', ...madeFor('f00') });
    }
    await keep(context, 'stopped', { status: 'stopped' }, { image: 'portolanlocal/npx-used:1' });
    const found = await checkImages(context, signal);
    expect(found.map(({ found: text }) => text)).to.deep.equal([
      'No workload of this state folder uses portolanlocal/npx-done:1 any more, which was built for another one. A repair removes only the tag that marks the use.',
    ]);
    await repairFindings(found, signal);
    expect(removed).to.deep.equal([`portolanused/${own}:1`]);
  });
});
