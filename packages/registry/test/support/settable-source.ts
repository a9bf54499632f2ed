import type { ReadItem, SkippedEntry, Source, SourceEntry } from '@portolan/plugin-api';

export function server(name: string, more: object = {}): SourceEntry {
  return {
    type: 'server',
    document: { name, description: 'about it', version: '1.0.0', ...more },
    place: 'data.servers[0]',
  };
}

/** A source whose content and faults a test sets. */
export class SettableSource implements Source {
  items: (SourceEntry | SkippedEntry)[] = [];
  fault: Error | undefined;
  reads = 0;
  /** How often changes were read, where it tells any. */
  told = 0;
  held: Promise<void> | undefined;
  running = 0;
  maxRunning = 0;
  closed = 0;

  async *readEntries(signal: AbortSignal): AsyncGenerator<ReadItem> {
    this.reads += 1;
    this.running += 1;
    this.maxRunning = Math.max(this.maxRunning, this.running);
    try {
      await this.held;
      signal.throwIfAborted();
      yield* this.items;
      if (this.fault !== undefined) throw this.fault;
    } finally {
      this.running -= 1;
    }
  }

  async close(): Promise<void> {
    this.closed += 1;
  }
}
