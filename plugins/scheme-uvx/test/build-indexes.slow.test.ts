import { execFileSync } from 'node:child_process';
import { type BuildInput, type SchemeOptions } from '@portolan/plugin-api';
import { basicAuthorization } from '@portolan/scheme-kit';
import { createTestContext } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { ADOPT_INDEXES } from '../src/build-scripts.ts';
import { uvxScheme } from '../src/index.ts';
import { readPythonIndexes } from '../src/python-indexes.ts';

const LOGIN = 'https://me:p%40ss@py.acme.example/simple';

describe('ADOPT_INDEXES', () => {
  const SHOWN = [
    'UV_DEFAULT_INDEX',
    'UV_INDEX_URL',
    'PIP_INDEX_URL',
    'UV_INDEX',
    'PIP_EXTRA_INDEX_URL',
    'PIP_TRUSTED_HOST',
    'UV_INSECURE_HOST',
  ];
  const cases: readonly {
    readonly given: Readonly<Record<string, string>>;
    readonly leads: Readonly<Record<string, string>>;
  }[] = [
    { given: {}, leads: {} },
    { given: { UV_INDEX_URL: LOGIN }, leads: { UV_DEFAULT_INDEX: LOGIN, PIP_INDEX_URL: LOGIN } },
    {
      given: { PIP_INDEX_URL: LOGIN, UV_DEFAULT_INDEX: '' },
      leads: { UV_DEFAULT_INDEX: LOGIN, PIP_INDEX_URL: LOGIN },
    },
    {
      given: { UV_INDEX: `acme=${LOGIN} https://b.example/?a=* `, UV_DEFAULT_INDEX: 'https://c.example/' },
      leads: {
        UV_DEFAULT_INDEX: 'https://c.example/',
        PIP_INDEX_URL: 'https://c.example/',
        UV_INDEX: `acme=${LOGIN} https://b.example/?a=* `,
        PIP_EXTRA_INDEX_URL: `${LOGIN} https://b.example/?a=*`,
      },
    },
    {
      given: { PIP_INDEX_URL: 'http://me:key@plain.example:3141/simple', PIP_TRUSTED_HOST: 'a.example' },
      leads: {
        UV_DEFAULT_INDEX: 'http://me:key@plain.example:3141/simple',
        PIP_INDEX_URL: 'http://me:key@plain.example:3141/simple',
        PIP_TRUSTED_HOST: 'a.example plain.example:3141',
        UV_INSECURE_HOST: ' plain.example:3141',
      },
    },
  ];
  for (const { given, leads } of cases) {
    it(`configures uv and pip alike for ${JSON.stringify(given)}`, () => {
      const tell = SHOWN.map((name) => `[ -z "\${${name}+x}" ] || printf '%s=%s\\n' ${name} "$${name}"`);
      const script = ['set -eu', ...ADOPT_INDEXES, ...tell, 'printf "%s" "$*"'].join('\n');
      const env = { PATH: process.env['PATH'] ?? '', ...given };
      const said = execFileSync('/bin/sh', ['-c', script, 'portolan', 'a', '*'], { env }).toString();
      const lines = SHOWN.flatMap((name) => (leads[name] === undefined ? [] : [`${name}=${leads[name]}\n`]));
      expect(said).to.equal(`${lines.join('')}a *`);
    });
  }
});

describe('uvx:// with build credentials', () => {
  const options: SchemeOptions = {
    environment: { UV_DEFAULT_INDEX: 'https://here.acme.example/simple', PIP_INDEX_URL: LOGIN },
    home: '/home/nobody',
    workingDirectory: '/',
  };

  it('prefers a build variable to all others, and uses its login for look-ups', async () => {
    const { usual, authorize } = await readPythonIndexes({ ...options, buildVariables: ['PIP_INDEX_URL'] });
    expect(usual.href).to.equal('https://py.acme.example/simple');
    expect(authorize(new URL('https://py.acme.example/simple/a/'))).to.equal(
      basicAuthorization('me', 'p@ss'),
    );
    expect(authorize(new URL('https://py.acme.example/other/'))).to.equal(undefined);
  });

  it('sends no logins of other variables', async () => {
    const environment = { PIP_INDEX_URL: LOGIN };
    const { usual, authorize } = await readPythonIndexes({ ...options, environment, buildVariables: ['A'] });
    expect(authorize(usual)).to.equal(undefined);
  });

  it('omits the index of a build variable from the plan', async () => {
    const scheme = await uvxScheme.create({}, createTestContext());
    const input: BuildInput = {
      reference: { from: 'index', name: 'py-notes', extras: [], version: '1.0', pinned: true },
      baseImage: undefined,
      addedPackages: [],
      buildWith: [],
      environment: {},
      caCertificates: undefined,
      prepared: { variables: ['PIP_INDEX_URL'], authFiles: [] },
    };
    const { dockerfile } = await scheme.planBuild(input, { ...options, buildVariables: ['PIP_INDEX_URL'] });
    expect(dockerfile).to.include('credentials.portolan.internal').and.include('UV_DEFAULT_INDEX=""');
    expect(dockerfile).to.not.include('acme.example');
  });
});
