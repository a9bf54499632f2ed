import { memoryImages } from '../../../../test/support/memory-images.ts';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import type { Attachment, ContainerEngine, EngineDescription } from '@portolan/plugin-api';
import { createRecordingLogger } from '@portolan/plugin-testing';
import { openGateway } from '../../src/gateway/open-gateway.ts';

/** Output of Node for an uncaught error. */
const THROWN = `node:net:1918
    const error = new UVExceptionWithHostPort(err, 'listen', address, port);
                  ^

Error: listen EACCES: permission denied /run/portolan/egress.sock
    at Server.setupListenHandle [as _listen2] (node:net:1918:21)
    at Server.listen (node:net:2130:5) {
  code: 'EACCES'
}

Node.js v24.11.1
`;

describe('openGateway', () => {
  const said: readonly { title: string; parts: readonly string[]; tells: string }[] = [
    {
      title: 'the error of its relay',
      parts: [THROWN.slice(0, 200), THROWN.slice(200)],
      tells: ' with status 1 (Error: listen EACCES: permission denied /run/portolan/egress.sock)',
    },
    {
      title: 'its last line',
      parts: ['exec /bin/node: exec format error\n\n'],
      tells: ' with status 1 (exec /bin/node: exec format error)',
    },
    { title: 'its status when it has no output', parts: [], tells: ' with status 1' },
  ];
  for (const { title, parts, tells } of said) {
    it(`reports a container that exits with ${title}, and leaves nothing`, async () => {
      const folder = await mkdtemp(path.join(tmpdir(), 'pg-'));
      const removed: string[] = [];
      const error: unknown = await openGateway({
        madeImages: { ...memoryImages(), find: () => Promise.resolve('made') },
        workload: 'notes',
        containerName: 'notes-gateway',
        labels: {},
        folder,
        ingress: [9000],
        runtime: engineWhoseContainerEnds(parts, removed),
        engine: engineElsewhere,
        onEvent: () => undefined,
        logger: createRecordingLogger(),
      }).catch((caught: unknown) => caught);
      expect(error).to.include({ code: 'ERR_GATEWAY' });
      expect(String(error)).to.include(`does not work: its container ended${tells}.`);
      expect(removed).to.deep.equal(['gateway-id']);
      expect(await readdir(folder)).to.deep.equal([]);
      await rm(folder, { recursive: true });
    });
  }
});

const engineElsewhere: EngineDescription = {
  name: 'Podman Engine',
  version: '4.3.1',
  apiVersion: '1.41',
  os: 'linux',
  architecture: 'amd64',
  address: 'ssh://core@localhost',
  addressFrom: 'a place that was tried',
  rootless: false,
  userNamespaces: false,
  sharesSockets: false,
  keepsInputOpen: false,
  buildsInClosedNetwork: true,
  opensLowPorts: false,
};

/** Returns an engine that has every image. Its container writes these errors and ends. */
function engineWhoseContainerEnds(errors: readonly string[], removed: string[]): ContainerEngine {
  const attachment: Attachment = {
    stdout: bytesOf([]),
    stderr: bytesOf(errors),
    write: () => Promise.resolve(),
    endInput: () => undefined,
    ended: Promise.resolve(undefined),
    close: () => undefined,
  };
  const engine: Partial<ContainerEngine> = {
    // SAFETY: the gateway only checks whether the image exists.
    inspectImage: () => Promise.resolve({} as Awaited<ReturnType<ContainerEngine['inspectImage']>>),
    createContainer: () => Promise.resolve('gateway-id'),
    attachContainer: () => Promise.resolve(attachment),
    startContainer: () => Promise.resolve(),
    waitForExit: () =>
      Promise.resolve({
        status: 'exited',
        running: false,
        exitCode: 1,
        outOfMemory: false,
        error: undefined,
        startedAt: undefined,
        finishedAt: undefined,
      }),
    removeContainer: (id) => {
      removed.push(id);
      return Promise.resolve();
    },
  };
  // SAFETY: the gateway calls no other function.
  return engine as ContainerEngine;
}

async function* bytesOf(texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) {
    await new Promise((resolve) => void setImmediate(resolve));
    yield Buffer.from(text);
  }
}
