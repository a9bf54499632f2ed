import type { ContainerSpec, Labels, VolumeDescription } from '@portolan/plugin-api';
import { Readable } from 'node:stream';
import type { EngineClient } from '../engine/engine-client.ts';
import { statusOf } from '../engine/engine-fault.ts';
import { labelFilter } from '../engine/label-filter.ts';
import { volumeInUse } from '../errors.ts';
import { removeContainer } from './container-calls.ts';

export async function listVolumes(
  client: EngineClient,
  labels: Labels,
  signal?: AbortSignal,
): Promise<readonly VolumeDescription[]> {
  const filters = JSON.stringify(labelFilter(labels));
  const match = await client.call('list volumes', () => client.docker.listVolumes({ filters }), { signal });
  return (match.Volumes ?? []).map(({ Name: name, Labels: own }) => ({ name, labels: own ?? {} }));
}

/** Removes a volume. Ignores an absent one. Throws ERR_IN_USE. */
export async function removeVolume(client: EngineClient, name: string, signal?: AbortSignal): Promise<void> {
  const remove = async (): Promise<void> => {
    try {
      await client.docker.getVolume(name).remove();
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
    }
  };
  await client.call('remove a volume', remove, {
    signal,
    translate: (error) => (statusOf(error) === 409 ? volumeInUse(name, error) : undefined),
  });
}

/**
 * Creates the missing volumes of a container. Returns the names of the created volumes that the container
 * mounts writable.
 */
export async function makeVolumes(
  client: EngineClient,
  { mounts = [] }: ContainerSpec,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const made: string[] = [];
  for (const mount of mounts) {
    if (mount.type !== 'volume') continue;
    const { name, labels = {} } = mount;
    if (await hasVolume(client, name, signal)) continue;
    const make = (): Promise<unknown> => client.docker.createVolume({ Name: name, Labels: { ...labels } });
    await client.call('make a volume', make, { signal });
    if (!mount.readOnly) made.push(name);
  }
  return made;
}

async function hasVolume(client: EngineClient, name: string, signal?: AbortSignal): Promise<boolean> {
  const inspect = async (): Promise<boolean> => {
    try {
      await client.docker.getVolume(name).inspect();
      return true;
    } catch (error) {
      if (statusOf(error) === 404) return false;
      throw error;
    }
  };
  return await client.call('look at a volume', inspect, { signal });
}

/** Path of the volume in the helper container of `giveVolumes`. */
const HELPER_FOLDER = 'volume';

/**
 * Makes the user of a container the owner of new volumes. Docker creates a volume as root when the image has
 * no folder at its path; Podman gives it to the user of its first container. An archive can change the owner
 * of a folder only from its parent, so a helper container, which never starts, has the volume at its root.
 */
export async function giveVolumes(
  client: EngineClient,
  { image, labels }: Pick<ContainerSpec, 'image' | 'labels'>,
  { volumes, user }: { readonly volumes: readonly string[]; readonly user: string | undefined },
  signal?: AbortSignal,
): Promise<void> {
  const [, uid, gid = uid] = /^(\d+)(?::(\d+))?$/.exec(user ?? '') ?? [];
  if (uid === undefined || gid === undefined || uid === '0') return;
  const archive = ownedFolder(Number(uid), Number(gid));
  for (const name of volumes) {
    const mount = {
      Type: 'volume' as const,
      Source: name,
      Target: `/${HELPER_FOLDER}`,
      VolumeOptions: NO_COPY,
    };
    const body = {
      Image: image,
      Cmd: ['x'],
      Labels: { ...labels },
      HostConfig: { Mounts: [mount], NetworkMode: 'none' },
    };
    const helper = await client.call('make a container', () => client.docker.createContainer(body), {
      signal,
    });
    try {
      const give = (): Promise<unknown> => helper.putArchive(Readable.from([archive]), { path: '/' });
      await client.call('give a volume to its user', give, { signal });
    } finally {
      await removeContainer(client, helper.id, { podman: false, signal: undefined });
    }
  }
}

const NO_COPY = { NoCopy: true, Labels: {}, DriverConfig: { Name: 'local', Options: {} } };

const BLOCK = 512;

/** Returns a tar archive that contains only a folder with this owner. */
function ownedFolder(uid: number, gid: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;
  const write = (text: string, at: number): number => header.write(text, at, 'latin1');
  write(`${HELPER_FOLDER}/`, 0);
  write(octal(0o755, 7), 100);
  write(octal(uid, 7), 108);
  write(octal(gid, 7), 116);
  write(octal(0, 11), 124);
  write(octal(0, 11), 136);
  write(' '.repeat(8), 148);
  write('5', 156);
  write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, Buffer.alloc(2 * BLOCK)]);
}
