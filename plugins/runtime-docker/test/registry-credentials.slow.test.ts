import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRecordingLogger } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { DockerRuntime } from '../src/docker-runtime.ts';
import type { EngineClient } from '../src/engine/engine-client.ts';
import { parseImageReference } from '../src/image/image-reference.ts';
import { findCredentials } from '../src/image/registry-credentials.ts';
import { codeOf } from './support/code-of.ts';
import { inTemporaryFolder } from './support/temporary-folder.ts';

const encode = (text: string): string => Buffer.from(text).toString('base64');

interface Files {
  readonly config?: object;
  readonly podman?: object;
  /** Body of the program docker-credential-vault. */
  readonly helper?: string;
}

async function find(image: string, files: Files, environment: Record<string, string> = {}): Promise<unknown> {
  return await inTemporaryFolder(async (home) => {
    await mkdir(join(home, '.docker'));
    await mkdir(join(home, '.config/containers'), { recursive: true });
    await writeFile(join(home, '.docker/config.json'), JSON.stringify(files.config ?? {}));
    await writeFile(join(home, '.config/containers/auth.json'), JSON.stringify(files.podman ?? {}));
    if (files.helper !== undefined) {
      await writeFile(join(home, 'docker-credential-vault'), `#!/bin/sh\n${files.helper}\n`, { mode: 0o755 });
    }
    const context = {
      environment: { PATH: `${home}:/usr/bin:/bin`, ...environment },
      home,
      platform: process.platform,
      temporaryFolder: home,
    };
    return await findCredentials(parseImageReference(image), context);
  });
}

describe('findCredentials', () => {
  const user = { username: 'ann', password: 'p:w' };
  const auth = { auth: encode('ann:p:w') };
  const acme = { ...user, serveraddress: 'acme.example' };
  const hub = { ...user, serveraddress: 'https://index.docker.io/v1/' };
  const helper = `read -r place; echo '{"ServerURL":"'"$place"'","Username":"ann","Secret":"p:w"}'`;
  const cases: readonly {
    title: string;
    image: string;
    files: Files;
    environment?: Record<string, string>;
    expected: unknown;
  }[] = [
    { title: 'has none where there are none', image: 'acme.example/x', files: {}, expected: undefined },
    {
      title: 'takes those of the registry',
      image: 'acme.example/x',
      files: { config: { auths: { 'acme.example': auth } } },
      expected: acme,
    },
    {
      title: 'takes those of an address',
      image: 'acme.example/x',
      files: { config: { auths: { 'https://acme.example/v2/': auth } } },
      expected: acme,
    },
    {
      title: 'knows Docker Hub by its old name',
      image: 'node',
      files: { config: { auths: { 'https://index.docker.io/v1/': auth } } },
      expected: hub,
    },
    {
      title: 'takes none of another registry',
      image: 'acme.example/x',
      files: { config: { auths: { 'other.example': auth } } },
      expected: undefined,
    },
    {
      title: 'takes those of Podman, by the longest path',
      image: 'acme.example/team/x',
      files: { podman: { auths: { 'acme.example': { auth: encode('x:y') }, 'acme.example/team': auth } } },
      expected: acme,
    },
    {
      title: 'takes an identity token',
      image: 'acme.example/x',
      files: { config: { auths: { 'acme.example': { identitytoken: 'T' } } } },
      expected: { identitytoken: 'T', serveraddress: 'acme.example' },
    },
    {
      title: 'asks the helper of the registry',
      image: 'acme.example/x',
      files: { helper, config: { credHelpers: { 'acme.example': 'vault' } } },
      expected: acme,
    },
    {
      title: 'asks the helper of all registries',
      image: 'node',
      files: { helper, config: { credsStore: 'vault' } },
      expected: hub,
    },
    {
      title: 'takes an identity token of a helper',
      image: 'acme.example/x',
      files: { helper: `echo '{"Username":"<token>","Secret":"T"}'`, config: { credsStore: 'vault' } },
      expected: { identitytoken: 'T', serveraddress: 'acme.example' },
    },
    {
      title: 'goes on when a helper knows nothing',
      image: 'acme.example/x',
      files: {
        helper: 'echo credentials not found in native keychain; exit 1',
        config: { credsStore: 'vault', auths: { 'acme.example': auth } },
      },
      expected: acme,
    },
    {
      title: 'prefers the variables of the registry',
      image: 'acme.example:5000/x',
      files: {},
      environment: {
        REGISTRY_USERNAME: 'x',
        REGISTRY_PASSWORD: 'y',
        REGISTRY_ACME_EXAMPLE_5000_USERNAME: 'ann',
        REGISTRY_ACME_EXAMPLE_5000_PASSWORD: 'p:w',
      },
      expected: { ...user, serveraddress: 'acme.example:5000' },
    },
    {
      title: 'takes the variables of all registries',
      image: 'acme.example/x',
      files: { config: { auths: { 'acme.example': { auth: encode('x:y') } } } },
      environment: { REGISTRY_USERNAME: 'ann', REGISTRY_PASSWORD: 'p:w' },
      expected: acme,
    },
  ];
  for (const { title, image, files, environment, expected } of cases) {
    it(title, async () => {
      expect(await find(image, files, environment)).to.deep.equal(expected);
    });
  }

  const faults: Readonly<Record<string, Files>> = {
    'is not there': { config: { credsStore: 'missing' } },
    fails: { helper: 'echo locked; exit 1', config: { credsStore: 'vault' } },
    'says no JSON': { helper: 'echo secret', config: { credsStore: 'vault' } },
    'has a path for a name': { config: { credsStore: '../vault' } },
  };
  for (const [title, files] of Object.entries(faults)) {
    it(`reports a helper that ${title}`, async () => {
      expect(await codeOf(find('acme.example/x', files))).to.equal('ERR_IMAGE_CREDENTIALS');
    });
  }
});

describe('DockerRuntime.findRegistryCredentials', () => {
  const runtimeWith = (environment: Readonly<Record<string, string>>, home: string): DockerRuntime =>
    new DockerRuntime({
      client: {} as EngineClient, // credentials are nothing that the engine knows
      logger: createRecordingLogger(),
      context: { environment, home, platform: process.platform, temporaryFolder: home },
      limits: { memoryBytes: 0, cpus: 0, processes: 0, openFiles: 0 },
      stopGraceMs: 1000,
      kernelRelease: '',
    });

  it('returns a password, an identity token, or undefined', async () => {
    await inTemporaryFolder(async (home) => {
      await mkdir(join(home, '.docker'));
      const auths = { 'token.example': { identitytoken: 'abc' } };
      await writeFile(join(home, '.docker/config.json'), JSON.stringify({ auths }));
      const runtime = runtimeWith(
        { REGISTRY_ACME_EXAMPLE_USERNAME: 'ann', REGISTRY_ACME_EXAMPLE_PASSWORD: 'p:w' },
        home,
      );
      const images = ['acme.example/notes:1', 'token.example/notes', 'nobody.example/notes'];
      const found = await Promise.all(images.map((image) => runtime.findRegistryCredentials(image)));
      expect(found).to.deep.equal([
        { username: 'ann', password: 'p:w' },
        { identityToken: 'abc' },
        undefined,
      ]);
    });
  });
});
