import type { PortolanError } from '@portolan/plugin-api';
import type { Clock } from './clock.ts';
import { cacheDamaged } from './errors.ts';
import { GitFailure, startGit, type StartedGit } from './start-git.ts';

export interface Blob {
  readonly size: number;
  /** Content of the object. Consume it, even if only to skip it, before the next object. */
  readonly chunks: AsyncGenerator<Buffer, void>;
}

export interface BlobReaderInput {
  /** Names of the objects, in the order in which `open` opens them. */
  readonly objects: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Measures the time in which the reader waits for git. */
  readonly clock: Clock;
}

/** Number of objects that are requested in advance, so that git never waits. */
const AHEAD = 100;

/**
 * Reads files through one `git cat-file` process, as they are in the repository: without filters and
 * conversion.
 */
export class BlobReader {
  readonly #git: StartedGit;
  readonly #clock: Clock;
  readonly #objects: readonly string[];
  #requested = 0;
  #opened = 0;
  #rest: Buffer = Buffer.alloc(0);
  #unread = 0;
  /** Error of the clock that killed git. */
  #late: PortolanError | undefined;

  constructor({ objects, environment, signal, clock }: BlobReaderInput) {
    this.#objects = objects;
    this.#clock = clock;
    this.#git = startGit({ words: ['cat-file', '--batch'], environment, signal });
  }

  /** Throws ERR_SOURCE_GIT_CACHE when the object is missing or damaged. */
  async open(): Promise<Blob> {
    for await (const _ of this.#take()); // skip the rest of the previous object
    this.#askAhead();
    this.#opened += 1;
    const line = await this.#line();
    const [, size] = /^[0-9a-f]+ blob (\d+)$/.exec(line) ?? [];
    if (size === undefined) throw cacheDamaged(new Error(`git cat-file printed ${JSON.stringify(line)}`));
    this.#unread = Number(size) + 1;
    return { size: Number(size), chunks: this.#take() };
  }

  async close(): Promise<void> {
    this.#git.kill();
    await this.#git.ended.catch(() => undefined);
  }

  #askAhead(): void {
    if (this.#requested > this.#opened) return;
    const next = this.#objects.slice(this.#requested, this.#requested + AHEAD);
    this.#requested += next.length;
    this.#git.write(next.map((object) => `${object}\n`).join(''));
  }

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf(10);
      if (end !== -1) {
        const line = this.#rest.toString('utf8', 0, end);
        this.#rest = this.#rest.subarray(end + 1);
        return line;
      }
      this.#rest = Buffer.concat([this.#rest, await this.#more()]);
    }
  }

  /** Returns the next bytes of an object, without the line break that git adds. */
  async *#take(): AsyncGenerator<Buffer, void> {
    while (this.#unread > 0) {
      const chunk = this.#rest.length > 0 ? this.#rest : await this.#more();
      const taken = chunk.subarray(0, this.#unread);
      this.#rest = chunk.subarray(taken.length);
      this.#unread -= taken.length;
      const content = this.#unread === 0 ? taken.subarray(0, -1) : taken;
      if (content.length > 0) yield content;
    }
  }

  async #more(): Promise<Buffer> {
    const stop = this.#clock.start((fault) => {
      this.#late = fault;
      this.#git.kill();
    });
    try {
      const next = await this.#git.output.next().finally(stop);
      if (next.done !== true) return next.value;
      await this.#git.ended;
    } catch (error) {
      if (this.#late !== undefined) throw this.#late;
      throw error instanceof GitFailure ? cacheDamaged(error) : error;
    }
    throw cacheDamaged(new Error('git cat-file ended too early'));
  }
}
