import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { inspectContainer, removeContainer } from '../src/container/container-calls.ts';
import { createContainer } from '../src/container/create-container.ts';
import { UnheardContainers } from '../src/container/unheard-containers.ts';
import { createEngineClient, type EngineClient } from '../src/engine/engine-client.ts';
import { engineConnection } from '../src/engine/engine-connection.ts';
import { ImageLabels } from '../src/image/image-labels.ts';
import { inspectImage, listImages } from '../src/image/image-calls.ts';
import { type FakeEngine, startFakeEngine } from './support/fake-engine.ts';
import { inTemporaryFolder } from './support/temporary-folder.ts';

interface Answer {
  readonly status: number;
  readonly body?: object;
}

const ID = `sha256:${'a'.repeat(64)}`;
const NOT_KNOWN = 'locating image with ID "e940f2f9c029": image not known';
const HAS_DEPENDENT =
  'container ad4ed2bb02e5 has dependent containers which must be removed before it: 3d679bb18d4d: container already exists';
const DONE: Answer = { status: 204 };

/** Podman 4.3 fails with 500 for whatever it does not do. */
function refusal(message: string): Answer {
  return { status: 500, body: { cause: message, message, response: 500 } };
}

/** To each method and path one answer after the other; the last one stays. */
async function withPodman(
  answers: Readonly<Record<string, readonly Answer[]>>,
  action: (client: EngineClient, fake: FakeEngine) => Promise<void>,
): Promise<void> {
  await inTemporaryFolder(async (folder) => {
    const socketPath = join(folder, 'engine.sock');
    const left = new Map(Object.entries(answers).map(([request, given]) => [request, [...given]]));
    const fake = await startFakeEngine(socketPath, ({ method, url = '' }, response) => {
      const given = left.get(`${method} ${url.split('?')[0]}`) ?? [];
      give(response, (given.length > 1 ? given.shift() : given[0]) ?? { status: 404, body: {} });
    });
    const connection = engineConnection({ over: 'socket', path: socketPath });
    const client = await createEngineClient({
      connection,
      address: `unix://${socketPath}`,
      from: 'a test',
      podman: true,
    });
    try {
      await action(client, fake);
    } finally {
      await fake.close();
    }
  });
}

function give(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

function countOf(fake: FakeEngine, request: string): number {
  return fake.requests.filter((one) => one.startsWith(request)).length;
}

describe('Podman responses (simulated engine)', () => {
  it('removes a container whose network others use once those are gone', () =>
    withPodman(
      {
        'POST /containers/gateway/kill': [DONE, refusal('can only kill running containers')],
        'DELETE /containers/gateway': [refusal(HAS_DEPENDENT), refusal(HAS_DEPENDENT), DONE],
      },
      async (client, fake) => {
        await removeContainer(client, 'gateway', { podman: true });
        expect(countOf(fake, 'DELETE /containers/gateway')).to.equal(3);
        // None but this one: whose the others are is not known here.
        expect(fake.requests.filter((one) => /depend/i.test(one))).to.deep.equal([]);
      },
    ));

  it('removes a container that is ending', () =>
    withPodman(
      {
        'POST /containers/gateway/kill': [refusal('container state improper: stopped'), DONE],
        'DELETE /containers/gateway': [refusal('container state improper: stopping'), DONE],
      },
      async (client, fake) => {
        await removeContainer(client, 'gateway', { podman: true });
        expect(countOf(fake, 'DELETE /containers/gateway')).to.equal(2);
      },
    ));

  it('treats a container that vanishes during an inspection as missing', () =>
    withPodman(
      {
        'GET /containers/notes/json': [
          refusal('container 7a8732545076 does not exist in database: no such container'),
        ],
        'POST /containers/notes/kill': [DONE],
        'DELETE /containers/notes': [refusal('container has already been removed')],
      },
      async (client, fake) => {
        expect(await inspectContainer(client, 'notes')).to.equal(undefined);
        await removeContainer(client, 'notes', { podman: true });
        expect(countOf(fake, 'DELETE /containers/notes')).to.equal(1);
      },
    ));

  it('reports a permanent removal failure at once', () =>
    withPodman(
      {
        'POST /containers/gateway/kill': [DONE],
        'DELETE /containers/gateway': [refusal('unmounting it: device or resource busy')],
      },
      async (client, fake) => {
        const error: unknown = await removeContainer(client, 'gateway', { podman: true }).catch(
          (caught: unknown) => caught,
        );
        expect(String(error)).to.include('device or resource busy');
        expect(countOf(fake, 'DELETE /containers/gateway')).to.equal(1);
      },
    ));

  it('lists and inspects images while one of them is being removed', () =>
    withPodman(
      {
        'GET /images/json': [
          refusal(`checking if image ${ID} is dangling: reading image "e940f2f9c029": ${NOT_KNOWN}`),
          refusal(`retrieving parent of image "bc534b59ba62": reading image "e940f2f9c029": ${NOT_KNOWN}`),
          { status: 200, body: [{ Id: ID, ParentId: '' }] },
        ],
        [`GET /images/${ID}/json`]: [
          refusal(`failed to convert ImageData to ImageInspect '${ID}': reading image "a": ${NOT_KNOWN}`),
          { status: 200, body: { Id: ID, Created: '2026-11-28T20:00:00Z', RepoTags: ['notes:1'] } },
        ],
      },
      async (client) => {
        const images = await listImages(client, {});
        expect(images.map(({ references }) => references)).to.deep.equal([['notes:1']]);
      },
    ));

  it('reports a missing network at creation', () =>
    withPodman(
      {
        [`GET /images/${ID}/json`]: [{ status: 200, body: { Id: ID, Config: {} } }],
        'POST /containers/create': [
          refusal('container create: unable to find network with name or ID notes-net: network not found'),
        ],
      },
      async (client) => {
        const error: unknown = await createContainer(
          client,
          {
            name: 'notes',
            image: ID,
            command: [],
            environment: {},
            labels: {},
            network: { mode: 'named', name: 'notes-net' },
          },
          {
            engine: {
              podman: true,
              processors: 1,
              hostLimits: { processes: undefined, openFiles: undefined },
              seesFiles: true,
            },
            limits: { memoryBytes: 1, cpus: 1, processes: 1, openFiles: 1 },
            images: new ImageLabels(),
            unheard: new UnheardContainers(),
            signal: undefined,
          },
        ).catch((caught: unknown) => caught);
        expect(error).to.include({ code: 'ERR_NETWORK_NOT_FOUND' });
        expect(String(error)).to.include('"notes-net"');
      },
    ));

  it('reports a repeated error about an image', () =>
    withPodman({ 'GET /images/notes/json': [refusal(NOT_KNOWN)] }, async (client, fake) => {
      const error: unknown = await inspectImage(client, 'notes').catch((caught: unknown) => caught);
      expect(String(error)).to.include('image not known');
      expect(countOf(fake, 'GET /images/notes/json')).to.equal(8);
    }));
});
