import type { Attributes, SyncRecord, Tracer } from '@portolan/plugin-api';
import type { SyncedSource, SyncContext } from './synced-source.ts';

/** Runs a sync in a new trace, independent of its trigger. */
export async function traceSync(
  { name }: SyncedSource,
  { tracer }: SyncContext,
  sync: () => Promise<SyncRecord>,
): Promise<SyncRecord> {
  if (tracer === undefined) return await sync();
  const attributes = { 'portolan.source.name': name };
  return await tracer.trace({ name: 'sync', attributes, parent: {} }, async (span) => {
    const record = await sync();
    const { outcome, servers, skills, plugins, skipped } = record;
    span.set({
      'portolan.sync.outcome': outcome,
      'portolan.sync.servers': servers,
      'portolan.sync.skills': skills,
      'portolan.sync.plugins': plugins,
      'portolan.sync.skipped': skipped,
    });
    if (outcome === 'failed') span.fail('failed');
    return record;
  });
}

export async function tracePart<T>(
  name: string,
  { tracer }: SyncContext,
  work: () => Promise<T>,
): Promise<T> {
  return await (tracer === undefined ? work() : tracer.trace({ name }, work));
}

/**
 * Adds up the time for staging entries. Staging alternates with waiting for the source, so only the total is
 * reported, at the end.
 */
export class StagingTime {
  readonly #tracer: Tracer | undefined;
  #spentMs = 0;
  #entries = 0;

  constructor({ tracer }: SyncContext) {
    this.#tracer = tracer?.current() === undefined ? undefined : tracer;
  }

  of(staging: () => Promise<void>): Promise<void> {
    return this.#tracer === undefined ? staging() : this.#measured(staging);
  }

  async #measured(staging: () => Promise<void>): Promise<void> {
    const startedMs = performance.now();
    await staging();
    this.#spentMs += performance.now() - startedMs;
    this.#entries += 1;
  }

  tell(): void {
    const attributes: Attributes = { 'portolan.sync.staged': this.#entries };
    this.#tracer?.record({ name: 'staging', durationMs: this.#spentMs, attributes });
  }
}
