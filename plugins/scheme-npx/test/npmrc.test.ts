import type { BuildInput, SchemeOptions } from '@portolan/plugin-api';
import { createTestContext } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { npxScheme } from '../src/index.ts';
import { readNpmRegistries, registryOf } from '../src/npm-registries.ts';
import { authorizeByNpmrc, parseNpmrc } from '../src/npmrc.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const NPMRC = `
//npm.acme.example/:_authToken=\${TOKEN}
//npm.acme.example/team/:username=me
//npm.acme.example/team/:_password="${base64('p@ss')}"
//npm.acme.example/half/:username=me
//both.acme.example:4873/:_auth=${base64('a:b')}
; //none.acme.example/:_authToken=remark
_authToken=for-nobody
`;

describe('authorizeByNpmrc', () => {
  const authorize = authorizeByNpmrc(parseNpmrc(NPMRC, { TOKEN: 't0ken' }));
  const cases: readonly (readonly [address: string, authorization: string | undefined])[] = [
    ['https://npm.acme.example/@acme%2Fnotes', 'Bearer t0ken'],
    ['https://npm.acme.example/team/notes', `Basic ${base64('me:p@ss')}`],
    ['https://npm.acme.example/team', `Basic ${base64('me:p@ss')}`],
    ['https://npm.acme.example/teams/notes', 'Bearer t0ken'],
    ['https://npm.acme.example/half/notes', 'Bearer t0ken'],
    ['https://both.acme.example:4873/notes', `Basic ${base64('a:b')}`],
    ['https://both.acme.example/notes', undefined],
    ['https://npm.acme.example:8443/notes', undefined],
    ['https://evil.npm.acme.example/notes', undefined],
    ['https://none.acme.example/notes', undefined],
  ];
  for (const [address, authorization] of cases) {
    it(`sends ${authorization ?? 'nothing'} to ${address}`, () => {
      expect(authorize(new URL(address))).to.equal(authorization);
    });
  }
});

describe('npx:// with build credentials', () => {
  const options: SchemeOptions = {
    environment: { npm_config_cache: '/x', HOST: 'npm.acme.example' },
    home: '/home/nobody',
    workingDirectory: '/',
  };
  const input: BuildInput = {
    reference: { from: 'index', name: '@acme/notes', extras: [], version: '1.0.0', pinned: true },
    baseImage: undefined,
    addedPackages: [],
    buildWith: [],
    environment: {},
    caCertificates: undefined,
  };
  const npmrc = '@acme:registry=https://${HOST}/\nregistry=https://all.acme.example/\n';

  it('uses the registries of the npmrc, with only their credentials', async () => {
    const registries = await readNpmRegistries({ ...options, authFiles: { npmrc: npmrc + NPMRC } });
    expect(registryOf(registries, '@acme/notes').href).to.equal('https://npm.acme.example/');
    expect(registryOf(registries, 'left').href).to.equal('https://all.acme.example/');
    expect(registries.authorize(new URL('https://npm.acme.example/team/a'))).to.match(/^Basic /);
    const others = await readNpmRegistries({ ...options, authFiles: { netrc: 'machine a' } });
    expect(others.authorize(new URL('https://npm.acme.example/team/a'))).to.equal(undefined);
  });

  const planned: readonly {
    readonly title: string;
    readonly prepared: NonNullable<BuildInput['prepared']>;
    readonly environment?: SchemeOptions['environment'];
    readonly flags: readonly string[];
  }[] = [
    {
      title: 'names the registry where only a netrc is given',
      prepared: { variables: ['NPM_TOKEN'], authFiles: ['netrc'] },
      flags: ['--registry=https://registry.npmjs.org/'],
    },
    {
      title: 'leaves the registry to the npmrc',
      prepared: { variables: [], authFiles: ['npmrc'] },
      flags: [],
    },
    {
      title: 'names a registry of this process over the npmrc',
      prepared: { variables: [], authFiles: ['npmrc'] },
      environment: { 'npm_config_@acme:registry': 'https://here.acme.example/' },
      flags: ['--@acme:registry=https://here.acme.example/'],
    },
    {
      title: 'leaves the registry to a variable of builds',
      prepared: { variables: ['NPM_CONFIG_REGISTRY'], authFiles: [] },
      environment: { npm_config_registry: 'https://here.acme.example/' },
      flags: [],
    },
  ];
  for (const { title, prepared, environment = {}, flags } of planned) {
    it(title, async () => {
      const scheme = await npxScheme.create({}, createTestContext());
      const authFiles = Object.fromEntries(prepared.authFiles.map((name) => [name, '']));
      const { dockerfile } = await scheme.planBuild(
        { ...input, prepared },
        { ...options, environment, buildVariables: prepared.variables, authFiles },
      );
      const [install = ''] = dockerfile.split('\n').filter((line) => line.includes('"npm", "install"'));
      expect(install).to.include('credentials.portolan.internal').and.include('"@acme/notes@1.0.0"');
      expect([...install.matchAll(/"(--[^"]*registry=[^"]*)"/g)].map(([, flag]) => flag)).to.deep.equal(
        flags,
      );
    });
  }
});
