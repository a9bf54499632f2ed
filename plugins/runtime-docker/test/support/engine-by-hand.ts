import type { Labels, ContainerEngine } from '@portolan/plugin-api';
import type Docker from 'dockerode';
import { parseEngineAddress } from '../../src/engine/engine-address.ts';
import { engineConnection } from '../../src/engine/engine-connection.ts';
import { createEngineClient } from '../../src/engine/engine-client.ts';

/** What tests do to an engine and no runtime does: somebody else's hand. */
async function engineOf(runtime: ContainerEngine): Promise<Docker> {
  const { address, addressFrom } = await runtime.describe();
  const connection = engineConnection(parseEngineAddress(address, addressFrom, undefined));
  return (await createEngineClient({ connection, address, from: addressFrom, podman: false })).docker;
}

/** Kills the first process of a container that runs. */
export async function killContainer(runtime: ContainerEngine, container: string): Promise<void> {
  await (await engineOf(runtime)).getContainer(container).kill({ signal: 'SIGKILL' });
}

/** Makes a bridge network without a way out; its id. */
export async function createNetwork(runtime: ContainerEngine, name: string, labels: Labels): Promise<string> {
  const engine = await engineOf(runtime);
  const { id } = await engine.createNetwork({
    Name: name,
    Driver: 'bridge',
    Internal: true,
    Labels: { ...labels },
  });
  return id;
}
