import type { Attachment } from '@portolan/plugin-api';
import type { Server } from 'node:net';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { Channel, offerSocket, reachSocket } from '../relay/socket-bridge.ts';
import { CONTROL_SOCKET, EGRESS_SOCKET, ingressSocket } from './runtime-folder.ts';

export interface OpenChannel {
  readonly closed: Promise<void>;
  /** Returns the last error or line that a gateway wrote, if any. */
  lastError(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Maximum retained characters of a gateway's output: the length of a Node error. */
const KEPT_CHARACTERS = 8192;

/** Maximum wait in milliseconds for output written just before a container ended. */
const LAST_BYTES_MS = 2000;

/**
 * Connects to a gateway over its standard streams, for a gateway that cannot access the runtime folder. The
 * gateway's output is untrusted and reaches only the two sockets of the gate.
 */
export async function openChannel(
  attachment: Attachment,
  folder: string,
  ingress: readonly number[],
): Promise<OpenChannel> {
  const written = new WrittenErrors(attachment.stderr);
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
  return { closed: channel.closed, lastError: () => written.last(), close };
}

/** Retains the end of the error output. An attachment must be read completely, or the container stalls. */
class WrittenErrors {
  readonly #read: Promise<void>;
  #end = '';

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#read = this.#keep(stream);
  }

  async last(): Promise<string | undefined> {
    await Promise.race([this.#read, pass(LAST_BYTES_MS, undefined, { ref: false })]);
    // The output also contains the stack, the error's fields and the Node version.
    const lines = this.#end.split('\n').map((line) => line.trim());
    return (
      lines.findLast((line) => /^\w*Error(?: \[\w+\])?: ./.test(line)) ??
      lines.findLast((line) => line !== '')
    );
  }

  async #keep(stream: AsyncIterable<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const bytes of stream) {
        this.#end = (this.#end + decoder.decode(bytes, { stream: true })).slice(-KEPT_CHARACTERS);
      }
    } catch {
      // The channel uses the same attachment and reports its failure.
    }
  }
}

function closeServer(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  return promise;
}
