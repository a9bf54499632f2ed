import { join } from 'node:path';
import { createRecordingLogger } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { openDockerRuntime } from '../src/open-docker-runtime.ts';
import { startFakeEngine } from './support/fake-engine.ts';
import { TEST_CONFIG, testSurroundings } from './support/test-engine.ts';
import { inTemporaryFolder } from './support/temporary-folder.ts';

describe('describe', () => {
  for (const [name, can, headers, told] of [
    ['Docker Engine', true, {}, 'aarch64'],
    ['Podman Engine', false, { 'Libpod-Api-Version': '5.1.0' }, 'arm64'],
  ] as const) {
    it(`says what ${name} ${can ? 'can' : 'cannot'} do`, () =>
      inTemporaryFolder(async (folder) => {
        const path = join(folder, 'engine.sock');
        const info = {
          ServerVersion: '5.1',
          OSType: 'linux',
          Architecture: told,
          KernelVersion: 'another',
          SecurityOptions: ['name=rootless'],
          NCPU: 2,
        };
        const fake = await startFakeEngine(
          path,
          (_request, response) => {
            response.setHeader('Content-Type', 'application/json');
            response.end(JSON.stringify(info));
          },
          { 'Api-Version': '1.41', ...headers },
        );
        try {
          const runtime = await openDockerRuntime({
            config: { ...TEST_CONFIG, host: `unix://${path}` },
            logger: createRecordingLogger(),
            surroundings: { ...testSurroundings(), environment: {} },
          });
          expect(await runtime.describe()).to.include({
            name,
            version: '5.1',
            apiVersion: '1.41',
            os: 'linux',
            architecture: 'arm64',
            rootless: true,
            userNamespaces: false,
            sharesSockets: false,
            keepsInputOpen: can,
            buildsInClosedNetwork: can,
            opensLowPorts: can,
          });
          // One more would start programs of the engine's.
          expect(fake.requests.filter((request) => request !== 'GET /_ping')).to.deep.equal(['GET /info']);
        } finally {
          await fake.close();
        }
      }));
  }
});
