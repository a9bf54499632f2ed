import type {
  ImageDescription,
  IndexedPackage,
  ContainerEngine,
  Scheme,
  SchemeOptions,
} from '@portolan/plugin-api';
import { FakeClock } from '@portolan/plugin-testing';
import { expect } from 'chai';
import type { BuildRequest } from '../../src/build/build-request.ts';
import { builtLabels } from '../../src/build/images/image-labels.ts';
import { BuiltIds } from '../../src/build/images/built-ids.ts';
import { stateIdOf } from '../../src/state/workload-labels.ts';
import { makeRecipe, tagOf, toBuildInput } from '../../src/build/recipe.ts';
import { settleVersion } from '../../src/build/settle-version.ts';
import { caught } from '../../../../test/support/caught.ts';
import { planningScheme } from '../support/planning-scheme.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { testWorkloadContext } from '../support/test-workload-context.ts';

const folders = new TemporaryFolders();

const reference: IndexedPackage = {
  from: 'index',
  name: '@acme/notes',
  extras: [],
  version: undefined,
  pinned: false,
};
const request: BuildRequest = { scheme: 'npx', reference, runtimeConfig: undefined, caCert: undefined };
const options: SchemeOptions = { environment: {}, home: '/', workingDirectory: '/' };

const image = (id: string, more: Partial<ImageDescription> = {}): ImageDescription => ({
  id,
  references: [],
  digests: [],
  os: 'linux',
  architecture: 'amd64',
  labels: {},
  environment: {},
  entrypoint: [],
  command: [],
  user: '',
  workingDirectory: '',
  exposedPorts: [],
  onBuild: [],
  sizeBytes: 1,
  createdAt: new Date(0),
  ...more,
});

const ID = `sha256:${'ab'.repeat(32)}`;
let context = testWorkloadContext('/none');

/** Returns an engine that has the package built with this scheme on this base image. */
async function engineWith(
  scheme: Scheme,
  version: string,
  base: string,
  keptId = ID,
): Promise<ContainerEngine> {
  context = testWorkloadContext(await folders.make());
  const input = toBuildInput(request, { ...reference, version, pinned: true }, undefined);
  const recipe = await makeRecipe('npx', input, scheme, options);
  const tag = tagOf(recipe, [base], stateIdOf(context.directories));
  await new BuiltIds(context.directories).keep(tag, keptId);
  const built = image(ID, { references: [tag], labels: builtLabels('npx', input, recipe.hashes) });
  const found: Readonly<Record<string, ImageDescription>> = {
    'acme/usual:1': image('base-now'),
    [tag]: built,
    [ID]: built,
  };
  const matches = (labels: Readonly<Record<string, string>>): boolean =>
    Object.entries(labels).every(([name, value]) => built.labels[name] === value);
  const runtime: Partial<ContainerEngine> = {
    inspectImage: (name) => Promise.resolve(found[name]),
    listImages: (labels) => Promise.resolve(matches(labels) ? [built] : []),
  };
  // The code under test calls no other function of the engine.
  return runtime as ContainerEngine;
}

async function settle(scheme: Scheme, runtime: ContainerEngine): ReturnType<typeof settleVersion> {
  const facts = { request, scheme, runtime, options, remembers: true };
  return await settleVersion(facts, { ...context, clock: new FakeClock().clock });
}

describe('settleVersion', () => {
  after(() => folders.removeAll());

  it('falls back to the last built version, with a note, when the package index is unavailable', async () => {
    const runtime = await engineWith(planningScheme(), '1.2.3', 'base-now');
    const settled = await settle(planningScheme(), runtime);
    expect(settled.reference).to.include({ version: '1.2.3', pinned: true });
    expect(settled.notes.join()).to.include('1.2.3 is used, because it is already built');
  });

  it('ignores an image with matching tag and labels that Portolan did not build', async () => {
    const runtime = await engineWith(planningScheme(), '1.2.3', 'base-now', `sha256:${'cd'.repeat(32)}`);
    const error = await caught(() => settle(planningScheme(), runtime));
    expect(error).to.have.property('code', 'ERR_PACKAGE_INDEX');
  });

  const others = [
    { title: 'from another index', index: 'other.acme.example', base: 'base-now' },
    { title: 'on another base image', index: 'index.acme.example', base: 'base-before' },
  ];
  for (const { title, index, base } of others) {
    it(`ignores an image that was built ${title}`, async () => {
      const runtime = await engineWith(planningScheme({ index }), '1.2.3', base);
      const error = await caught(() => settle(planningScheme(), runtime));
      expect(error).to.have.property('code', 'ERR_PACKAGE_INDEX');
    });
  }
});
