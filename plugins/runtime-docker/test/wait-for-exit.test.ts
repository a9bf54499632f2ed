import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { waitForExit } from '../src/container/wait-for-exit.ts';
import { createEngineClient, type EngineClient } from '../src/engine/engine-client.ts';
import { engineConnection } from '../src/engine/engine-connection.ts';
import { startFakeEngine } from './support/fake-engine.ts';
import { inTemporaryFolder } from './support/temporary-folder.ts';

interface Inspected {
  readonly ExitCode: number;
  readonly OOMKilled: boolean;
}

const KILLED: Inspected = { ExitCode: 137, OOMKilled: false };
const OUT_OF_MEMORY: Inspected = { ExitCode: 137, OOMKilled: true };

/** Runs an engine whose answers to `inspect` come in the given order; the last one repeats. */
async function withEngine(
  states: readonly Inspected[],
  action: (client: EngineClient, inspections: () => number) => Promise<void>,
): Promise<void> {
  await inTemporaryFolder(async (folder) => {
    const socketPath = join(folder, 'engine.sock');
    let inspections = 0;
    const fake = await startFakeEngine(socketPath, ({ url = '' }, response) => {
      if (url.includes('/json')) {
        giveState(response, states[Math.min(inspections, states.length - 1)]);
        inspections += 1;
      } else response.writeHead(200).flushHeaders();
    });
    try {
      const connection = engineConnection({ over: 'socket', path: socketPath });
      const address = `unix://${socketPath}`;
      await action(
        await createEngineClient({ connection, address, from: 'a test', podman: false }),
        () => inspections,
      );
    } finally {
      await fake.close();
    }
  });
}

function giveState(response: ServerResponse, state: Inspected | undefined): void {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  const State = { Status: 'exited', Running: false, Error: '', ...state };
  response.end(JSON.stringify({ Id: 'a', Name: '/a', State, Config: {}, NetworkSettings: {} }));
}

describe('waitForExit (simulated engine)', () => {
  it('reports that memory ran out when the engine learns it after the end', () =>
    withEngine([KILLED, KILLED, OUT_OF_MEMORY], async (client, inspections) => {
      expect(await waitForExit(client, 'a')).to.include({ exitCode: 137, outOfMemory: true });
      expect(inspections()).to.equal(3);
    }));

  it('resolves after six inspections when a killed container had enough memory', () =>
    withEngine([KILLED], async (client, inspections) => {
      expect(await waitForExit(client, 'a')).to.include({ exitCode: 137, outOfMemory: false });
      expect(inspections()).to.equal(6);
    }));

  it('inspects once when the process ended by itself', () =>
    withEngine([{ ExitCode: 3, OOMKilled: false }], async (client, inspections) => {
      expect(await waitForExit(client, 'a')).to.include({ exitCode: 3 });
      expect(inspections()).to.equal(1);
    }));
});
