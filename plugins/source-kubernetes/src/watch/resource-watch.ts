import { setTimeout as pass } from 'node:timers/promises';
import { isPortolanError, type Logger } from '@portolan/plugin-api';
import { answerUnusable } from '../errors.ts';
import type { ClusterResponse, ClusterClient } from '../cluster/cluster-client.ts';
import type { Part } from '../cluster/list-offers.ts';
import type { WatchEvent } from '../cluster/read-events.ts';
import { mapOf, textOf } from '../objects/cluster-object.ts';
import { markOf, offerOf } from '../objects/offer.ts';
import { pathOf } from '../objects/resource.ts';
import type { Pauses } from './pauses.ts';

/** Duration of one watch in seconds. The next one uses the current token. */
const WATCH_SECONDS = 240;

export interface WatchContext {
  readonly open: () => Promise<ClusterClient>;
  readonly ring: () => void;
  readonly logger: Logger;
  readonly pauses: Pauses;
}

/** Position of a watch: the last seen version, below one of the roots of the resource. */
interface WatchPosition {
  readonly root: string;
  version: string;
}

/**
 * Watches one resource in one namespace, or in all. After a lost connection, it continues from the last seen
 * version; when the server has forgotten that version (410), from the current one, with a ring, because
 * events may be missing. It rings only for changes of offers.
 */
export class ResourceWatch {
  readonly #part: Part;
  readonly #around: WatchContext;
  /** Marks of the objects with an entry, by uid; null for an object without one. */
  readonly #seen = new Map<string, string | null>();
  #place: WatchPosition | undefined;
  #pauseMs: number;
  #complaint: string | undefined;
  /**
   * Whether the last watch was forbidden and has signalled that, so that the same state does not signal
   * again.
   */
  #isDenied = false;

  constructor(part: Part, around: WatchContext) {
    this.#part = part;
    this.#around = around;
    this.#pauseMs = around.pauses.first;
  }

  /** Watches until the signal aborts. Never throws. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let pauseMs: number;
      try {
        pauseMs = await this.#turn(signal);
      } catch (error) {
        if (signal.aborted) return;
        // If the server rejects a version, a current one may work.
        if (isPortolanError(error) && error.code === 'ERR_KUBERNETES_ANSWER') this.#place = undefined;
        this.#complain('watch broke; it is resumed', error);
        pauseMs = this.#nextPause();
      }
      await pass(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Runs one connection. Returns the pause before the next one. */
  async #turn(signal: AbortSignal): Promise<number> {
    const client = await this.#around.open();
    try {
      this.#place ??= await this.#begin(client, signal);
      if (this.#place === undefined) return this.#around.pauses.absent;
      const place = this.#place;
      const startedAt = performance.now();
      const refusal = await this.#follow(client, place, signal);
      if (refusal === undefined) {
        // A cause that ends one watch immediately will end the next ones too.
        if (performance.now() - startedAt < this.#around.pauses.longest) return this.#nextPause();
        return this.#around.pauses.first;
      }
      this.#place = undefined;
      // A version that the server has dropped is retried soon; a missing or forbidden resource later.
      if (refusal.status === 410) return this.#around.pauses.first;
      if (refusal.status === 403)
        this.#complain('not allowed to watch; changes are seen with the next sync only');
      // The list may be forbidden too by now, which a sync should show in the status.
      if (refusal.status !== 403 || !this.#isDenied) this.#around.ring();
      this.#isDenied = refusal.status === 403;
      return this.#around.pauses.absent;
    } finally {
      await client.close();
    }
  }

  /** Returns the next pause, which doubles each time until an event arrives. */
  #nextPause(): number {
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(pauseMs * 2, this.#around.pauses.longest);
    return pauseMs;
  }

  /**
   * Lists the objects and stores their marks. Returns undefined where the resource is missing or forbidden.
   */
  async #begin(client: ClusterClient, signal: AbortSignal): Promise<WatchPosition | undefined> {
    const { resource, namespace } = this.#part;
    for (const root of resource.roots) {
      const { status, body } = await client.get(
        pathOf(root, resource, namespace),
        { limit: '1', ...this.#selected },
        signal,
      );
      if (status === 404) continue;
      if (status === 403) {
        this.#isDenied = false;
        return undefined;
      }
      const version = textOf(mapOf(body['metadata'])['resourceVersion']);
      if (status !== 200 || version === undefined) throw answerUnusable('a list without version');
      this.#seen.clear();
      if (!this.#isDenied) this.#around.ring();
      return { root, version };
    }
    return undefined;
  }

  /** Follows a watch. Returns the response if it is no watch. */
  async #follow(
    client: ClusterClient,
    place: WatchPosition,
    signal: AbortSignal,
  ): Promise<ClusterResponse | undefined> {
    const events = client.watch(
      pathOf(place.root, this.#part.resource, this.#part.namespace),
      {
        resourceVersion: place.version,
        allowWatchBookmarks: 'true',
        timeoutSeconds: String(WATCH_SECONDS + Math.floor(Math.random() * 60)),
        ...this.#selected,
      },
      signal,
    );
    try {
      for (;;) {
        const turn = await events.next();
        if (turn.done === true) return turn.value;
        const { type, object } = turn.value;
        if (type === 'ERROR') return errorOf(object);
        if (this.#isDenied) this.#around.ring();
        this.#isDenied = false;
        this.#pauseMs = this.#around.pauses.first;
        this.#complaint = undefined;
        const version = textOf(mapOf(object['metadata'])['resourceVersion']);
        if (type !== 'BOOKMARK' && this.#isNews(type, object, place.root)) this.#around.ring();
        if (version !== undefined) place.version = version;
      }
    } finally {
      await events.return(undefined); // an error ends the watch, not the connection
    }
  }

  /**
   * Returns whether the entry of an object changed. For an object that was not seen before, that is unknown.
   */
  #isNews(type: WatchEvent['type'], object: WatchEvent['object'], root: string): boolean {
    const { resource, namePrefix } = this.#part;
    const uid = textOf(mapOf(object['metadata'])['uid']) ?? '';
    const offer = type === 'DELETED' ? undefined : offerOf(object, { resource, root, namePrefix });
    const mark = offer === undefined ? null : markOf(offer);
    const before = this.#seen.get(uid);
    if (type === 'DELETED') this.#seen.delete(uid);
    else this.#seen.set(uid, mark);
    // A new object without an entry changes nothing.
    if (type === 'ADDED' && mark === null) return before !== undefined && before !== null;
    return before === undefined || before !== mark;
  }

  get #selected(): Readonly<Record<string, string>> {
    const { labelSelector } = this.#part;
    return labelSelector === undefined ? {} : { labelSelector };
  }

  /** Logs each fault once, until the watch works again. */
  #complain(message: string, error?: unknown): void {
    const { resource, namespace } = this.#part;
    if (this.#complaint === message) return;
    this.#complaint = message;
    this.#around.logger.warn({ resource: resource.name, namespace, err: error }, message);
  }
}

/** Throws for an error event that is not about a version. */
function errorOf(object: WatchEvent['object']): ClusterResponse {
  const { code } = object;
  if (code === 410 || code === 403 || code === 404) return { status: code, body: object };
  throw answerUnusable(`an error within a watch (${typeof code === 'number' ? code : 'unknown'})`);
}
