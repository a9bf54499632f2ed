import { setTimeout as pass } from 'node:timers/promises';
import type { SessionStore } from '@portolan/plugin-api';
import { textOf } from '@portolan/run-spec';
import { askWorkload } from './ask-workload.ts';
import type { WorkloadStatus } from '../state/workload-state.ts';
import type { Supervision } from './supervision.ts';

/** Unavailable dependency of a started workload that recovers by itself. */
export interface Waiting {
  readonly status: Extract<WorkloadStatus, 'auth_retrying' | 'waiting'>;
  readonly why: string;
  /** Time of the first failure in milliseconds, on the monotonic clock of `performance.now()`. */
  readonly sinceMs: number;
}

/**
 * Time in milliseconds for which a dependency must be unavailable before the start stops waiting for the
 * server.
 */
const SETTLE_MS = 3000;
const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 15_000;

export function isMissing({ waiting }: Pick<Supervision, 'waiting'>): boolean {
  return waiting !== undefined && performance.now() - waiting.sinceMs >= SETTLE_MS;
}

/** Records what the workload waits for. After the start, also updates the state. */
export function noteWaiting(work: Supervision, status: Waiting['status'], why: string): void {
  const { waiting: before, lifecycle, record } = work;
  const sinceMs = before?.status === status ? before.sinceMs : performance.now();
  work.waiting = { status, why, sinceMs };
  if (before?.status === status && before.why === why) return;
  if (lifecycle.isStarting) return;
  record.note((state) => ({ ...state, status, statusContext: why }));
}

export function noteBack(work: Supervision, status: Waiting['status']): void {
  if (work.waiting?.status !== status) return;
  work.waiting = undefined;
  work.record.note((state) => {
    if (state.status !== status) return state;
    return { ...state, status: work.lifecycle.isStarting ? 'starting' : 'running', statusContext: '' };
  });
}

/** Wraps a session store to record when it becomes unavailable and when it recovers. */
export function watchSessionStore(store: SessionStore, work: Supervision): SessionStore {
  const watch = async <Result>(request: Promise<Result>): Promise<Result> => {
    try {
      const result = await request;
      noteBack(work, 'waiting');
      return result;
    } catch (error) {
      noteWaiting(work, 'waiting', `${textOf(error)}; it is tried again`);
      if (!work.lifecycle.isStarting) void awaitReturn(work);
      throw error;
    }
  };
  return {
    begin: (id, session) => watch(store.begin(id, session)),
    use: (id) => watch(store.use(id)),
    find: (id) => watch(store.find(id)),
    agree: (id, revision) => watch(store.agree(id, revision)),
    end: (id) => watch(store.end(id)),
    ask: (id, key, request) => watch(store.ask(id, key, request)),
    take: (id, key) => watch(store.take(id, key)),
    close: () => store.close(),
  };
}

const awaited = new WeakSet<Supervision>();

/**
 * Queries the server with back-off until no dependency is unavailable, so that the workload recovers without
 * a client request. Never rejects.
 */
export async function awaitReturn(work: Supervision): Promise<void> {
  if (awaited.has(work)) return;
  awaited.add(work);
  const { signal } = work.lifecycle;
  try {
    for (
      let waitMs = FIRST_RETRY_MS;
      work.waiting !== undefined;
      waitMs = Math.min(MAX_RETRY_MS, waitMs * 2)
    ) {
      await pass(waitMs, undefined, { signal });
      const request = await askWorkload(work, AbortSignal.any([signal, AbortSignal.timeout(MAX_RETRY_MS)]));
      // With `nothing`, the query says nothing about recovery. The renewal of the login reports its own
      // recovery.
      if (request.outcome !== 'nothing') noteBack(work, 'waiting');
    }
  } catch (error) {
    if (!signal.aborted) work.context.logger.warn({ error }, 'workload could not be queried');
  } finally {
    awaited.delete(work);
  }
}
