import { join } from 'node:path';
import { createRecordingLogger } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { openDockerRuntime } from '../src/open-docker-runtime.ts';
import { startFakeEngine } from './support/fake-engine.ts';
import { TEST_CONFIG, testSurroundings } from './support/test-engine.ts';
import { inTemporaryFolder } from './support/temporary-folder.ts';

describe('describe', () => {
  for (const [component, name, can] of [
    ['Engine', 'Docker Engine', true],
    ['Podman Engine', 'Podman Engine', false],
  ] as const) {
    it(`says what ${name} ${can ? 'can' : 'cannot'} do`, () =>
      inTemporaryFolder(async (folder) => {
        const path = join(folder, 'engine.sock');
        const version = { Version: '5.1', ApiVersion: '1.41', Os: 'linux', Arch: 'arm64' };
        const answers: Readonly<Record<string, object>> = {
          '/version': { ...version, Components: [{ Name: component }] },
          '/info': { SecurityOptions: ['name=rootless'], NCPU: 2, KernelVersion: 'another' },
        };
        const fake = await startFakeEngine(path, (request, response) => {
          response.setHeader('Content-Type', 'application/json');
          response.end(JSON.stringify(answers[request.url ?? ''] ?? 'OK'));
        });
        try {
          const runtime = await openDockerRuntime({
            config: { ...TEST_CONFIG, host: `unix://${path}` },
            logger: createRecordingLogger(),
            surroundings: { ...testSurroundings(), environment: {} },
          });
          expect(await runtime.describe()).to.include({
            name,
            version: '5.1',
            architecture: 'arm64',
            rootless: true,
            userNamespaces: false,
            sharesSockets: false,
            keepsInputOpen: can,
            buildsInClosedNetwork: can,
            opensLowPorts: can,
          });
        } finally {
          await fake.close();
        }
      }));
  }
});
