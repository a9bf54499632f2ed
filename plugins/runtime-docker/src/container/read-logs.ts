import type { Readable } from 'node:stream';
import type { LogLine, LogOptions } from '@portolan/plugin-api';
import type { EngineClient } from '../engine/engine-client.ts';
import { statusOf } from '../engine/engine-fault.ts';
import { containerNotFound } from '../errors.ts';
import { FrameReader } from './frame-reader.ts';

const STAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)) ?/;
const STAMP_BYTES = 40;
const NEWLINE = 10;

/**
 * Yields the lines of a container's log, and joins lines that the engine has split. Throws
 * ERR_CONTAINER_NOT_FOUND. Throws ERR_RUNTIME_REFUSED when the container's log driver stores no log.
 */
export async function* readLogs(
  client: EngineClient,
  container: string,
  options: LogOptions,
): AsyncGenerator<LogLine> {
  const { signal } = options;
  const stream = await client.call('show the log of a container', () => openLog(client, container, options), {
    signal,
    translate: (error) => (statusOf(error) === 404 ? containerNotFound(container, error) : undefined),
  });
  const stop = (): void => void stream.destroy();
  signal?.addEventListener('abort', stop, { once: true });
  const frames = new FrameReader();
  const lines = { stdout: new LineJoiner('stdout'), stderr: new LineJoiner('stderr') };
  try {
    for await (const chunk of stream) {
      for (const part of frames.read(chunk as Uint8Array))
        yield* lines[part.stream].add(part.bytes, part.starts);
    }
    yield* lines.stdout.end();
    yield* lines.stderr.end();
    signal?.throwIfAborted();
  } catch (error) {
    signal?.throwIfAborted();
    // A broken connection ends the log without an error. The lines so far are valid.
    if (!(error instanceof Error && 'code' in error)) throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
    stream.destroy();
  }
}

function openLog(
  client: EngineClient,
  container: string,
  { follow, tail, since }: LogOptions,
): Promise<Readable> {
  const query = {
    stdout: true,
    stderr: true,
    timestamps: true,
    follow: follow === true,
    ...(tail === undefined ? {} : { tail }),
    ...(since === undefined ? {} : { since: since.getTime() / 1000 }),
  };
  // Does not use dockerode's own call, which reads a log without `follow` into memory.
  return new Promise((resolve, reject) => {
    client.docker.modem.dial(
      {
        path: `/containers/${encodeURIComponent(container)}/logs?`,
        method: 'GET',
        isStream: true,
        statusCodes: { 200: true, 404: 'no such container', 500: 'server error' },
        options: query,
      },
      (error: unknown, response: unknown) => {
        if (error) reject(error);
        else resolve(response as Readable); // SAFETY: with `isStream`, this is the response of node:http
      },
    );
  });
}

/** Joins the parts of one stream to lines. */
class LineJoiner {
  readonly #stream: LogLine['stream'];
  #pieces: Buffer[] = [];
  #stamped = false;
  #at = new Date(0);

  constructor(stream: LogLine['stream']) {
    this.#stream = stream;
  }

  *add(bytes: Uint8Array, startsFrame: boolean): Generator<LogLine> {
    if (startsFrame) this.#stamped = false;
    let rest: Buffer = Buffer.from(bytes);
    while (rest.length > 0) {
      if (!this.#stamped) rest = this.#takeStamp(rest);
      const end = rest.indexOf(NEWLINE);
      if (end === -1) {
        this.#pieces.push(rest);
        return;
      }
      this.#pieces.push(rest.subarray(0, end));
      yield* this.end();
      rest = rest.subarray(end + 1);
    }
  }

  *end(): Generator<LogLine> {
    if (this.#pieces.length === 0) return;
    const text = Buffer.concat(this.#pieces).toString('utf8').replace(/\r$/, '');
    this.#pieces = [];
    this.#stamped = false;
    yield { stream: this.#stream, at: this.#at, text };
  }

  /** Removes the time at the beginning of a part. The first part's time is that of the line. */
  #takeStamp(bytes: Buffer): Buffer {
    const match = STAMP.exec(bytes.toString('latin1', 0, STAMP_BYTES));
    this.#stamped = true;
    if (match?.[1] === undefined) return bytes;
    if (this.#pieces.length === 0) this.#at = new Date(match[1]);
    return bytes.subarray(match[0].length);
  }
}
