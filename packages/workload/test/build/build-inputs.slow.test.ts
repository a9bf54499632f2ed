import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { BuildPlan, Scheme } from '@portolan/plugin-api';
import { FakeClock } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { RefusedHosts } from '../../src/build/run-build.ts';
import type { BuildRequest } from '../../src/build/build-request.ts';
import { hostsIn } from '../../src/build/run-build.ts';
import { readCertificates } from '../../src/build/read-certificates.ts';
import { makeRecipe, tagOf, toBuildInput } from '../../src/build/recipe.ts';
import { VersionMemory } from '../../src/build/version-memory.ts';
import { makeCertificate } from '../../../../test/support/certificate.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';

const folders = new TemporaryFolders();

describe('readCertificates', () => {
  after(async () => {
    await folders.removeAll();
  });

  it('returns the certificates of a PEM file without remarks or a private key, which must not come first', async () => {
    const folder = await folders.make();
    const { cert, key } = await makeCertificate(folder, ['acme.example']);
    const both = path.join(folder, 'both.pem');
    await writeFile(both, `a remark\n${cert.toString()}${key.toString()}`);
    const { pem = '', notes } = (await readCertificates(both)) ?? {};
    expect(pem.trim()).to.equal(cert.toString().trim());
    expect(notes).to.deep.equal([]);
    await writeFile(both, `${key.toString()}${cert.toString()}`);
    const error: unknown = await readCertificates(both).catch((fault: unknown) => fault);
    expect(error).to.include({ code: 'ERR_SETTING' });
    expect(error).to.have.property('message').that.includes('its first block is a private key');
  });

  it('rejects missing and invalid files, and returns undefined without a file name', async () => {
    const folder = await folders.make();
    const file = path.join(folder, 'plain.txt');
    await writeFile(file, 'nothing');
    const codeOf = async (named: string): Promise<unknown> =>
      await readCertificates(named).catch((fault: unknown) => fault);
    expect(await codeOf(file)).to.include({ code: 'ERR_SETTING' });
    expect(await codeOf(path.join(folder, 'none'))).to.include({ code: 'ERR_NAMED_FILE' });
    await writeFile(file, '-----BEGIN CERTIFICATE-----\nbm90aGluZw==\n-----END CERTIFICATE-----\n');
    expect(await codeOf(file)).to.include({ code: 'ERR_SETTING' });
    expect(await readCertificates('')).to.equal(undefined);
  });
});

describe('VersionMemory', () => {
  it('remembers a version, which counts as fresh for an hour', async () => {
    const folder = await folders.make();
    const clock = new FakeClock();
    const memory = new VersionMemory({ statuses: path.join(folder, 'statuses') }, clock.clock);
    expect(await memory.find(['npx', 'notes'])).to.equal(undefined);
    await memory.keep(['npx', 'notes'], '1.2.3');
    expect(await memory.find(['npx', 'notes'])).to.deep.equal({ version: '1.2.3', isFresh: true });
    expect(await memory.find(['npx', 'other'])).to.equal(undefined);
    clock.advance(60 * 60 * 1000);
    expect(await memory.find(['npx', 'notes'])).to.deep.equal({ version: '1.2.3', isFresh: false });
    await folders.removeAll();
  });
});

describe('tagOf', () => {
  const plan: BuildPlan = {
    dockerfile: 'FROM base:1\n',
    baseImages: ['base:1'],
    buildArguments: {},
    files: [],
  };
  const scheme = (changed: Partial<BuildPlan> = {}): Scheme => ({
    resolveVersion: async () => '1.0.0',
    planBuild: async () => ({ ...plan, ...changed }),
    reachesHosts: async () => [],
  });
  const request: BuildRequest = {
    scheme: 'npx',
    reference: { from: 'index', name: '@acme/notes', extras: [], version: '1.0.0', pinned: true },
    runtimeConfig: undefined,
    caCert: undefined,
  };
  const options = { environment: {}, home: '/', workingDirectory: '/' };
  const tag = async (changed: Partial<BuildPlan> = {}, baseIds = ['sha256:1']): Promise<string> => {
    const input = toBuildInput(request, request.reference, undefined);
    return tagOf(await makeRecipe('npx', input, scheme(changed), options), baseIds, 'state');
  };

  it('stays the same for the same input, and changes with Dockerfile, files and base image', async () => {
    const usual = await tag();
    expect(usual).to.match(/^portolanlocal\/npx-acme-notes:[0-9a-f]{16}$/);
    expect(await tag()).to.equal(usual);
    const others = [
      await tag({ dockerfile: 'FROM base:1\nUSER 1\n' }),
      await tag({ files: [{ path: 'portolan.crt', mode: 0o644, content: 'a' }] }),
      await tag({ files: [{ path: 'portolan.crt', mode: 0o644, content: 'b' }] }),
      await tag({}, ['sha256:2']),
    ];
    expect(new Set([usual, ...others]).size).to.equal(5);
  });

  it('rejects invalid system packages and invalid base images', async () => {
    const bad = {
      builder_image: '',
      additional_packages: ['--allow-untrusted'],
      build_with: [],
      runtime_env: {},
    };
    expect(() => toBuildInput({ ...request, runtimeConfig: bad }, request.reference, undefined)).to.throw(
      'the name of a system package',
    );
    const failed: unknown = await tag({ baseImages: ['Not An Image'] }).catch((fault: unknown) => fault);
    expect(failed).to.include({ code: 'ERR_SETTING' });
  });
});

describe('hostsIn', () => {
  it('reads the hosts and ports from sources of apk and apt', () => {
    const lines = [
      'https://mirror.acme.example/alpine/v3.23/main',
      '@edge http://edge.acme.example:8080/x',
      '# http://remark.acme.example/',
      'deb [signed-by=/k.gpg] http://deb.acme.example/debian bookworm main',
      'URIs: http://deb.acme.example/debian http://security.acme.example/',
    ];
    expect(hostsIn(lines).map(({ host, port }) => `${host}:${port}`)).to.deep.equal([
      'mirror.acme.example:443',
      'edge.acme.example:8080',
      'deb.acme.example:80',
      'security.acme.example:80',
    ]);
  });
});

describe('RefusedHosts', () => {
  it('lists each refused host once, with its port where known', () => {
    const refused = new RefusedHosts();
    const event = { workload: 'x', method: 'CONNECT', rule: 'host-not-allowed' };
    refused.hear({ ...event, host: 'b.example', port: undefined, allowed: false });
    refused.hear({ ...event, host: 'b.example', port: 443, allowed: false });
    refused.hear({ ...event, host: 'a.example', port: undefined, allowed: false });
    refused.hear({ ...event, host: 'c.example', port: 443, allowed: true });
    expect(refused.list()).to.deep.equal(['a.example', 'b.example:443']);
  });
});
