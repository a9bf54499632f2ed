import { type BuildInput, type SchemeOptions } from '@portolan/plugin-api';
import { basicAuthorization } from '@portolan/scheme-kit';
import { createTestContext } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { readGoSettings } from '../src/go-settings.ts';
import { goScheme } from '../src/index.ts';

const GOPROXY = 'https://me:p%40ss@go.acme.example/proxy,https://second.acme.example,direct';

describe('go:// with build credentials', () => {
  const options: SchemeOptions = {
    environment: { GOPROXY, GOPRIVATE: 'example.org/acme', GOENV: 'off' },
    home: '/home/nobody',
    workingDirectory: '/',
    buildVariables: ['GOPROXY'],
    authFiles: { netrc: 'machine second.acme.example login you password key' },
  };

  it('sends the logins of GOPROXY and netrc only to these proxies', async () => {
    const { authorize } = await readGoSettings(options);
    const sent = (address: string): string | undefined => authorize(new URL(address));
    expect(sent('https://go.acme.example/proxy/a/@v/list')).to.equal(basicAuthorization('me', 'p@ss'));
    expect(sent('https://second.acme.example/a/@v/list')).to.equal(basicAuthorization('you', 'key'));
    expect(sent('https://go.acme.example/other/@v/list')).to.equal(undefined);
    const { authorize: ofShell } = await readGoSettings({ ...options, buildVariables: [] });
    expect(ofShell(new URL('https://go.acme.example/proxy/a'))).to.equal(undefined);
  });

  it('ignores build variables in the plan', async () => {
    const scheme = await goScheme.create({}, createTestContext());
    const input: BuildInput = {
      reference: {
        from: 'index',
        name: 'example.org/acme/notes',
        extras: [],
        version: 'v1.0.0',
        pinned: true,
      },
      baseImage: undefined,
      addedPackages: [],
      buildWith: [],
      environment: {},
      caCertificates: undefined,
      prepared: { variables: ['GOPROXY'], authFiles: ['netrc'] },
    };
    const { dockerfile } = await scheme.planBuild(input, options);
    expect(dockerfile).to.include('GOPRIVATE="example.org/acme"').and.not.include('GOPROXY');
    expect(dockerfile).to.include('credentials.portolan.internal').and.not.include('go.acme.example');
  });
});
