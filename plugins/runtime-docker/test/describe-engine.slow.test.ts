import { join } from 'node:path';
import type { ContainerEngine } from '@portolan/plugin-api';
import { createRecordingLogger } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { openDockerRuntime } from '../src/open-docker-runtime.ts';
import { startFakeEngine } from './support/fake-engine.ts';
import { TEST_CONFIG, testContext } from './support/test-engine.ts';
import { inTemporaryFolder } from './support/temporary-folder.ts';

const DOCKER = { 'Api-Version': '1.41' };
const PODMAN = { ...DOCKER, 'Libpod-Api-Version': '5.1.0' };
const INFO = {
  ServerVersion: '5.1',
  OSType: 'linux',
  KernelVersion: 'another',
  SecurityOptions: ['name=rootless'],
  NCPU: 2,
};

interface Case {
  readonly what: string;
  readonly ping: Readonly<Record<string, string>>;
  readonly info: object;
  readonly podman: boolean;
  readonly architecture: string;
  /** Whether it is asked for its version, too, which has Docker start three programs. */
  readonly isAsked: boolean;
}

const CASES: readonly Case[] = [
  ...Object.entries({ x86_64: 'amd64', s390x: 's390x' }).map(([machine, architecture]) => ({
    what: `Docker on ${machine}`,
    ping: DOCKER,
    info: { ...INFO, Architecture: machine },
    podman: false,
    architecture,
    isAsked: false,
  })),
  ...['amd64', 'arm64'].map((architecture) => ({
    what: `Podman on ${architecture}`,
    ping: PODMAN,
    info: { ...INFO, Architecture: architecture },
    podman: true,
    architecture,
    isAsked: false,
  })),
  {
    what: 'Docker for 32 bits on a kernel for 64',
    ping: DOCKER,
    info: { ...INFO, Architecture: 'aarch64' },
    podman: false,
    architecture: 'arm',
    isAsked: true,
  },
  {
    what: 'Podman behind what lets no headers of its own through',
    ping: {},
    info: { ...INFO, Architecture: 'arm' },
    podman: true,
    architecture: 'arm',
    isAsked: true,
  },
  {
    what: 'Docker that leaves out its version',
    ping: DOCKER,
    info: { ...INFO, Architecture: 'x86_64', ServerVersion: undefined },
    podman: false,
    architecture: 'arm',
    isAsked: true,
  },
];

async function openAt(path: string): Promise<ContainerEngine> {
  return await openDockerRuntime({
    config: { ...TEST_CONFIG, host: `unix://${path}` },
    logger: createRecordingLogger(),
    context: { ...testContext(), environment: {} },
  });
}

describe('describe (simulated engine)', () => {
  for (const { what, ping, info, podman, architecture, isAsked } of CASES) {
    it(`returns engine and version, ${isAsked ? 'asked for its version' : 'not asked for its version'}: ${what}`, () =>
      inTemporaryFolder(async (folder) => {
        const path = join(folder, 'engine.sock');
        const Components = [{ Name: podman ? 'Podman Engine' : 'Engine' }];
        const answers: Readonly<Record<string, object>> = {
          '/version': { Version: '5.1', ApiVersion: '1.41', Os: 'linux', Arch: 'arm', Components },
          '/info': info,
        };
        const fake = await startFakeEngine(
          path,
          (request, response) => {
            response.setHeader('Content-Type', 'application/json');
            response.end(JSON.stringify(answers[request.url ?? ''] ?? {}));
          },
          ping,
        );
        try {
          const runtime = await openAt(path);
          expect(await runtime.describe()).to.include({
            name: podman ? 'Podman Engine' : 'Docker Engine',
            version: '5.1',
            apiVersion: '1.41',
            os: 'linux',
            architecture,
            rootless: true,
            userNamespaces: false,
            sharesSockets: false,
            keepsInputOpen: !podman,
            buildsInClosedNetwork: !podman,
            opensLowPorts: !podman,
            announcesRemovals: !podman,
          });
          const asked = fake.requests.filter((request) => request !== 'GET /_ping');
          expect(asked).to.deep.equal(['GET /info', ...(isAsked ? ['GET /version'] : [])]);
        } finally {
          await fake.close();
        }
      }));
  }

  for (const [what, ping] of Object.entries({
    Docker: DOCKER,
    Podman: PODMAN,
    'Podman, without headers': {},
  })) {
    it(`queries the engine before a removal only when the ping does not identify it: ${what}`, () =>
      inTemporaryFolder(async (folder) => {
        const path = join(folder, 'engine.sock');
        const fake = await startFakeEngine(
          path,
          (request, response) => {
            response.setHeader('Content-Type', 'application/json');
            if (request.method === 'GET') {
              const version = { Version: '5', ApiVersion: '1', Os: 'linux', Arch: 'arm' };
              response.end(JSON.stringify({ ...version, Components: [{ Name: 'Podman Engine' }] }));
            } else response.writeHead(204).end();
          },
          ping,
        );
        try {
          const runtime = await openAt(path);
          const before = fake.requests.length;
          await runtime.removeContainer('c1');
          const asked = fake.requests.slice(before).map((request) => request.split('?')[0]);
          const removal = 'DELETE /containers/c1';
          const isPodman = what !== 'Docker';
          expect(asked.filter((request) => request?.startsWith('GET'))).to.deep.equal(
            what === 'Podman, without headers' ? ['GET /_ping', 'GET /info', 'GET /version'] : [],
          );
          expect(asked.at(-1)).to.equal(removal);
          expect(asked.includes('POST /containers/c1/kill')).to.equal(isPodman);
        } finally {
          await fake.close();
        }
      }));
  }
});
