import { type Logger, type Source, UndoStack } from '@portolan/plugin-api';
import { withinTime } from '../lifetime/within-time.ts';
import type { SourceInstance } from './kernel.ts';

export type Sources = ReadonlyMap<string, SourceInstance>;

export class SourceSlot {
  #current: Sources = new Map();
  readonly #logger: Logger;
  readonly #limitMs: number | undefined;

  constructor(logger: Logger, limitMs: number | undefined) {
    this.#logger = logger;
    this.#limitMs = limitMs;
  }

  get current(): Sources {
    return this.#current;
  }

  /** Replaces the instances of all sources. Closes the replaced ones, which no caller may use any more. */
  async replace(next: Sources): Promise<void> {
    const before = this.#current;
    this.#current = next;
    const sources = instancesOf(next);
    await this.#close([...before].filter(([, { instance }]) => !sources.has(instance)));
  }

  async close(): Promise<void> {
    await this.replace(new Map());
  }

  async discard(next: Sources): Promise<void> {
    const sources = instancesOf(this.#current);
    await this.#close([...next].filter(([, { instance }]) => !sources.has(instance)));
  }

  async #close(some: readonly (readonly [name: string, source: SourceInstance])[]): Promise<void> {
    const opened = new UndoStack(this.#logger);
    for (const [name, { instance }] of some) {
      opened.push(`the source "${name}"`, () => withinTime(() => instance.close?.(), this.#limitMs));
    }
    await opened.run();
  }
}

function instancesOf(sources: Sources): ReadonlySet<Source> {
  return new Set([...sources.values()].map(({ instance }) => instance));
}
