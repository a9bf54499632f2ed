import { type Duplex, Readable } from 'node:stream';
import type { Attachment } from '@portolan/plugin-api';
import { abortable } from '../engine/engine-client.ts';
import type { EngineClient } from '../engine/engine-client.ts';
import { openRequest, refusalOf } from '../engine/engine-connection.ts';
import { attachmentEnded, containerNotFound } from '../errors.ts';
import { statusOf } from '../engine/engine-fault.ts';
import { FrameReader } from './frame-reader.ts';

const QUEUE_BYTES = 1024 * 1024;

/**
 * Attaches to a container's standard streams. Does not use dockerode, which would send the options as a body
 * that Podman feeds to the container's input. Throws ERR_CONTAINER_NOT_FOUND, and the engine's usual errors.
 */
export async function openAttachment(
  client: EngineClient,
  container: string,
  signal?: AbortSignal,
): Promise<Attachment> {
  const socket = await client.call('attach to a container', () => upgrade(client, container, signal), {
    signal,
    translate: (error) => (statusOf(error) === 404 ? containerNotFound(container, error) : undefined),
  });
  return new SocketAttachment(socket);
}

async function upgrade(
  client: EngineClient,
  container: string,
  signal: AbortSignal | undefined,
): Promise<Duplex> {
  const path = `/containers/${encodeURIComponent(container)}/attach?stream=1&stdin=1&stdout=1&stderr=1`;
  const headers = { Connection: 'Upgrade', Upgrade: 'tcp', 'Content-Length': '0' };
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const request = openRequest(client.connection, { method: 'POST', path, headers });
  request.on('upgrade', (_response, socket, head) => {
    if (head.length > 0) socket.unshift(head);
    resolve(socket);
  });
  request.on('response', (response) => void refusalOf(response).then(reject, reject));
  request.on('error', reject);
  request.end();
  try {
    return await abortable(promise, signal);
  } catch (error) {
    request.destroy();
    promise.then(
      (socket) => socket.destroy(),
      () => undefined,
    );
    throw error;
  }
}

class SocketAttachment implements Attachment {
  readonly stdout = this.#output();
  readonly stderr = this.#output();
  readonly ended: Promise<Error | undefined>;
  readonly #socket: Duplex;
  readonly #frames = new FrameReader();
  /** Outputs whose buffers are full, so that the attachment pauses. */
  readonly #full = new Set<Readable>();
  #isHeld = false;

  constructor(socket: Duplex) {
    this.#socket = socket;
    const { promise, resolve } = Promise.withResolvers<Error | undefined>();
    this.ended = promise;
    let failure: Error | undefined;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => {
      failure ??= error;
    });
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      this.stdout.push(null);
      this.stderr.push(null);
      resolve(failure);
    });
  }

  #output(): Readable {
    const output: Readable = new Readable({
      highWaterMark: QUEUE_BYTES,
      read: () => this.#hasRoom(output),
      // Discards further data of an output that its reader has destroyed.
      destroy: (error, done) => {
        this.#hasRoom(output);
        done(error);
      },
    });
    return output;
  }

  #take(chunk: Buffer): void {
    for (const { stream, bytes } of this.#frames.read(chunk)) {
      const output = this[stream];
      if (output.destroyed || output.push(bytes)) continue;
      this.#full.add(output);
      this.#socket.pause();
    }
  }

  #hasRoom(output: Readable): void {
    if (this.#full.delete(output) && this.#full.size === 0) this.#socket.resume();
  }

  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed || this.#socket.writableEnded) {
        reject(attachmentEnded());
        return;
      }
      this.#holdUntilTurn();
      this.#socket.write(bytes, (error) => (error ? reject(attachmentEnded(error)) : resolve()));
    });
  }

  /** Combines the writes of one event loop turn. Ending the input sends the buffered data. */
  #holdUntilTurn(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    this.#socket.cork();
    setImmediate(() => {
      this.#isHeld = false;
      this.#socket.uncork();
    });
  }

  endInput(): void {
    this.#socket.end();
  }

  close(): void {
    this.#socket.destroy();
  }
}
