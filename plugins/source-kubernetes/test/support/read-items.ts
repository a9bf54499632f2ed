import type { ReadItem, Source } from '@portolan/plugin-api';
import { readContext } from '@portolan/plugin-testing';

/** Everything that a full read yields. */
export async function readItems(source: Source): Promise<readonly ReadItem[]> {
  const items: ReadItem[] = [];
  for await (const item of source.readEntries(new AbortController().signal, readContext())) items.push(item);
  return items;
}

/** Names of the entries of a full read, and after a `-` what was left out. */
export async function namesIn(source: Source): Promise<readonly string[]> {
  return (await readItems(source)).flatMap((item) => {
    if ('document' in item) return [String(Reflect.get(Object(item.document), 'name'))];
    return 'skipped' in item ? [`- ${item.skipped}`] : [];
  });
}

/** Reads a source each time that it says that something changed, until it is stopped. */
export class Follower {
  /** How often the watch has said so. */
  rings = 0;
  names: readonly string[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(source: Source) {
    this.#running = this.#run(source);
  }

  async #run(source: Source): Promise<void> {
    for await (const _ of source.watch?.(this.#stop.signal) ?? []) {
      this.rings += 1;
      try {
        this.names = await namesIn(source);
      } catch {
        // As with the registry: what was read before stays.
      }
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}
