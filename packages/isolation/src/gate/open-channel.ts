import type { Attachment } from '@portolan/plugin-api';
import type { Server } from 'node:net';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { Channel, offerSocket, reachSocket } from '../relay/socket-bridge.ts';
import { CONTROL_SOCKET, EGRESS_SOCKET, ingressSocket } from './runtime-folder.ts';

export interface OpenChannel {
  /** Settles when the gateway is gone. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/**
 * Connects the sockets of a runtime folder with those in a gateway that cannot
 * see the folder, over its standard input and output. What the gateway writes
 * is not trusted: it reaches the two sockets of the gate and nothing else.
 */
export async function openChannel(
  attachment: Attachment,
  folder: string,
  ingress: readonly number[],
): Promise<OpenChannel> {
  void drop(attachment.stderr);
  const channel = new Channel({
    isFirst: true,
    read: attachment.stdout,
    write: (bytes) => attachment.write(bytes),
    onOpen: (name, stream) => {
      if (name !== EGRESS_SOCKET && name !== CONTROL_SOCKET) return false;
      reachSocket(folder, name, stream);
      return true;
    },
  });
  const servers: Server[] = [];
  const close = async (): Promise<void> => {
    channel.close();
    attachment.close();
    await Promise.all(servers.map((server) => closeServer(server)));
  };
  try {
    for (const name of ingress.map(ingressSocket)) {
      await rm(path.join(folder, name), { force: true });
      servers.push(await offerSocket(channel, folder, name));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { closed: channel.closed, close };
}

/** An attachment has to be read as a whole, or the container stalls. */
async function drop(stream: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const _ of stream) void _;
  } catch {
    // The channel ends with the same attachment, and says so.
  }
}

function closeServer(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  return promise;
}
