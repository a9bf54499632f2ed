import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { isPortolanError } from '@portolan/plugin-api';
import { textOf } from '@portolan/run-spec';
import {
  type DefinitionsResponse,
  exchangeFolderOf,
  isResponseName,
  requestIdIn,
  responseNameOf,
} from '../../state/definitions-exchange.ts';
import { makeFolders } from '../../state/make-folders.ts';
import { watchFolder } from '../../state/watch-folder.ts';
import { writeAtomically } from '../../state/write-atomically.ts';
import type { Supervision } from '../supervision.ts';
import { definitionsUnreadable } from './definitions-errors.ts';
import { readWhenAvailable } from './read-when-available.ts';

/** Maximum number of requests that one read serves. Further ones wait for the next read. */
const MAX_SERVED_REQUESTS = 64;
/** Age in milliseconds after which no command waits for a response file. */
const MAX_RESPONSE_AGE_MS = 5 * 60_000;
const SETTLE_MS = 10;

/**
 * Begins to serve requests of commands for the definitions of the server, until the workload ends. For a workload
 * that was started only to be read, reports its definitions instead and ends it.
 */
export async function serveDefinitions(work: Supervision): Promise<void> {
  const { order, lifecycle, report, config, context, opened } = work;
  if (order.readsDefinitions === true) {
    const definitions = await readWhenAvailable(work, lifecycle.signal);
    lifecycle.ready();
    report({ report: 'definitions', definitions });
    lifecycle.finish({ how: 'stopped' });
    return;
  }
  const folder = exchangeFolderOf(config.name, context.directories);
  await makeFolders(folder, 0o700);
  const service = new DefinitionsService(work, folder);
  const watch = watchFolder({
    folder,
    isWatched: (file) => requestIdIn(file) !== undefined,
    changed: () => service.look(),
    settleMs: SETTLE_MS,
  });
  opened.push('definitions', async () => {
    watch.close();
    await service.close();
  });
  service.look();
}

/** Serves the request files of a folder, one read at a time. */
class DefinitionsService {
  readonly #work: Supervision;
  readonly #folder: string;
  #serving: Promise<void> | undefined;
  #looksAgain = false;
  #isClosed = false;

  constructor(work: Supervision, folder: string) {
    this.#work = work;
    this.#folder = folder;
  }

  look(): void {
    if (this.#isClosed) return;
    this.#looksAgain = true;
    this.#serving ??= this.#serve();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#serving;
  }

  async #serve(): Promise<void> {
    try {
      while (this.#looksAgain && !this.#isClosed) {
        this.#looksAgain = false;
        await this.#serveOnce();
      }
    } catch (error) {
      this.#work.context.logger.warn({ err: error }, 'a request for definitions could not be served');
    } finally {
      this.#serving = undefined;
    }
  }

  async #serveOnce(): Promise<void> {
    const files = await readdir(this.#folder);
    await this.#removeOldResponses(files);
    const requests = files.filter((file) => requestIdIn(file) !== undefined);
    const served = requests.slice(0, MAX_SERVED_REQUESTS);
    if (served.length === 0) return;
    if (requests.length > served.length) this.#looksAgain = true;
    // Before the read: a response must be newer than its request.
    for (const file of served) await rm(path.join(this.#folder, file), { force: true });
    const response = JSON.stringify(await this.#read());
    for (const file of served) {
      const id = requestIdIn(file) ?? '';
      await writeAtomically(path.join(this.#folder, responseNameOf(id)), response);
    }
  }

  async #read(): Promise<DefinitionsResponse> {
    const { lifecycle, config } = this.#work;
    try {
      return { definitions: await readWhenAvailable(this.#work, lifecycle.signal) };
    } catch (error) {
      const known = isPortolanError(error) ? error : definitionsUnreadable(config.name, textOf(error), error);
      const { code, class: errorClass, message, hint } = known;
      return { error: { code, class: errorClass, message, hint } };
    }
  }

  async #removeOldResponses(files: readonly string[]): Promise<void> {
    const now = this.#work.context.clock().getTime();
    for (const file of files.filter(isResponseName)) {
      const place = path.join(this.#folder, file);
      const facts = await stat(place).catch(() => undefined);
      if (facts !== undefined && now - facts.mtimeMs > MAX_RESPONSE_AGE_MS) await rm(place, { force: true });
    }
  }
}
