import { randomBytes } from 'node:crypto';
import type { AccessRecord, Role } from '@portolan/plugin-api';
import { OUTCOMES } from '../parameters/audit-parameters.ts';

export interface RecentEvent {
  /** Number of the event, which increases from 1 within this process. */
  readonly id: number;
  readonly at: string;
  readonly type: string;
  readonly outcome: Outcome;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly because: string;
  readonly subject?: string;
  readonly user?: string;
  readonly roles: readonly Role[];
  readonly provider?: string;
  readonly remoteAddress: string;
  readonly requestId: string;
  readonly durationMs: number;
  readonly responseBytes: number;
}

export type Outcome = (typeof OUTCOMES)[number];

/** Filter of events; an absent field matches everything. */
export interface EventQuery {
  readonly limit: number;
  readonly before?: number | undefined;
  readonly type?: string | undefined;
  readonly outcome?: Outcome | undefined;
  /** Subject or display name, compared exactly. */
  readonly subject?: string | undefined;
  readonly requestId?: string | undefined;
  /** Part of the path, compared case-insensitively. */
  readonly path?: string | undefined;
}

export interface EventPage {
  /** Events, newest first. */
  readonly events: readonly RecentEvent[];
  /** Value of `before` for the next page; undefined on the last page. */
  readonly next: number | undefined;
  readonly kept: number;
  /** Number of events that were dropped since the process started. */
  readonly forgotten: number;
}

/**
 * Events that are not recorded unless the audit log includes them, because probes and browsers cause them
 * constantly.
 */
const UNTOLD: readonly string[] = ['operation', 'request.preflight'];
const MAX_PATH = 256;
const MAX_NAME = 128;

/**
 * Recent requests of this process, in memory, for superAdmins. Records no body, query or header, and only the
 * beginning of texts that a client chooses.
 */
export class RecentEvents {
  readonly replica = randomBytes(4).toString('hex');
  /** ISO 8601. */
  readonly since: string;
  readonly max: number;
  readonly #events: StoredEvent[] = [];
  #last = 0;

  constructor(clock: () => Date, most = 10_000) {
    this.since = clock().toISOString();
    this.max = most;
  }

  add(record: AccessRecord): void {
    const type = typeOf(record);
    if (UNTOLD.includes(type)) return;
    this.#events[this.#last % this.max] = eventOf(record, type, this.#last + 1);
    this.#last += 1;
  }

  page({ limit, before = Infinity, ...query }: EventQuery): EventPage {
    const events: RecentEvent[] = [];
    const oldest = Math.max(1, this.#last - this.max + 1);
    let id = Math.min(before - 1, this.#last);
    for (; id >= oldest && events.length < limit; id -= 1) {
      const event = this.#events[(id - 1) % this.max];
      if (event !== undefined && matches(event, query)) events.push(shown(event));
    }
    return {
      events,
      next: id >= oldest ? id + 1 : undefined,
      kept: this.#events.length,
      forgotten: oldest - 1,
    };
  }
}

function matches(
  event: StoredEvent,
  { type, outcome, subject, requestId, path }: Omit<EventQuery, 'limit' | 'before'>,
): boolean {
  if (type !== undefined && event.type !== type) return false;
  if (outcome !== undefined && event.outcome !== outcome) return false;
  if (subject !== undefined && event.subject !== subject && event.user !== subject) return false;
  if (requestId !== undefined && event.requestId !== requestId) return false;
  return path === undefined || event.path.toLowerCase().includes(path.toLowerCase());
}

function typeOf({ event, method, status }: AccessRecord): string {
  return event ?? (method === 'OPTIONS' && status < 400 ? 'request.preflight' : 'request.unknown');
}

/** A stored event. Its time is converted to text only for readers. */
type StoredEvent = Omit<RecentEvent, 'at'> & { readonly at: Date };

function shown({ at, ...event }: StoredEvent): RecentEvent {
  return { ...event, at: at.toISOString(), durationMs: Math.round(event.durationMs * 1000) / 1000 };
}

function eventOf(record: AccessRecord, type: string, id: number): StoredEvent {
  const { at, method, path, status, because, subject, user, roles, provider, requestId } = record;
  return {
    id,
    at,
    type,
    outcome: outcomeOf(status),
    method: cut(method),
    path: pathOf(path),
    status,
    because,
    ...(subject === undefined ? {} : { subject: cut(subject) }),
    ...(user === undefined ? {} : { user: cut(user) }),
    roles,
    ...(provider === undefined ? {} : { provider }),
    remoteAddress: record.remoteAddress,
    requestId: cut(requestId),
    durationMs: record.durationMs,
    responseBytes: record.responseBytes,
  };
}

function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 400) return 'success';
  if (status === 401 || status === 403) return 'denied';
  return status >= 400 && status < 500 ? 'failure' : 'error';
}

/** Truncates a text. Copies it, because a substring would keep the whole text in memory. */
function cut(text: string): string {
  return text.length <= MAX_NAME ? text : Buffer.from(text.slice(0, MAX_NAME)).toString();
}

/**
 * Returns a path without its query. Masks a JSON web token, which a client may have put into the path by
 * mistake.
 */
function pathOf(path: string): string {
  const end = path.search(/[?#]/);
  const bare = path.slice(0, Math.min(end < 0 ? path.length : end, MAX_PATH));
  const own = Buffer.from(bare).toString();
  return own.includes('eyJ') ? own.replaceAll(/eyJ[^/]*/g, '[secret]') : own;
}
