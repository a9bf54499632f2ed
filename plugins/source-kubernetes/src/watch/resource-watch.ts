import { setTimeout as pass } from 'node:timers/promises';
import { isPortolanError, type Logger } from '@portolan/plugin-api';
import { answerUnusable } from '../errors.ts';
import type { Answer, ClusterClient } from '../cluster/cluster-client.ts';
import type { Part } from '../cluster/list-offers.ts';
import type { WatchEvent } from '../cluster/read-events.ts';
import { mapOf, textOf } from '../objects/cluster-object.ts';
import { markOf, offerOf } from '../objects/offer.ts';
import { pathOf } from '../objects/resource.ts';
import type { Pauses } from './pauses.ts';

/** How long the server may keep one watch, in seconds; then it is taken up again, with the token of then. */
const WATCH_SECONDS = 240;

export interface WatchSurroundings {
  readonly open: () => Promise<ClusterClient>;
  readonly ring: () => void;
  readonly logger: Logger;
  readonly pauses: Pauses;
}

/** Where a watch stands: the version it has seen, below one of the roots of the resource. */
interface Place {
  readonly root: string;
  version: string;
}

/**
 * Watches the objects of one resource in one namespace, or in all. It goes on
 * from the last version it has seen when the connection ends, and where the
 * server has forgotten that version (410), from now, with a ring, since nobody
 * knows what happened meanwhile. It rings for changes of what objects offer only.
 */
export class ResourceWatch {
  readonly #part: Part;
  readonly #around: WatchSurroundings;
  /** What each object that was seen offers, by its uid: a mark, or null for nothing. */
  readonly #seen = new Map<string, string | null>();
  #place: Place | undefined;
  #pauseMs: number;
  #complaint: string | undefined;
  /** The last watch was not allowed, and that was rung for: what could be listed then is no news. */
  #isDenied = false;

  constructor(part: Part, around: WatchSurroundings) {
    this.#part = part;
    this.#around = around;
    this.#pauseMs = around.pauses.first;
  }

  /** Until the signal aborts. Never throws. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let pauseMs: number;
      try {
        pauseMs = await this.#turn(signal);
      } catch (error) {
        if (signal.aborted) return;
        // Of a version that the server does not get along with, one that it gives now is better.
        if (isPortolanError(error) && error.code === 'ERR_KUBERNETES_ANSWER') this.#place = undefined;
        this.#complain('watch broke; taking it up again', error);
        pauseMs = this.#nextPause();
      }
      await pass(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** One connection; answers how long to wait before the next one. */
  async #turn(signal: AbortSignal): Promise<number> {
    const client = await this.#around.open();
    try {
      this.#place ??= await this.#begin(client, signal);
      if (this.#place === undefined) return this.#around.pauses.absent;
      const place = this.#place;
      const begun = performance.now();
      const refusal = await this.#follow(client, place, signal);
      if (refusal === undefined) {
        // What ends each watch at once will do so again.
        if (performance.now() - begun < this.#around.pauses.longest) return this.#nextPause();
        return this.#around.pauses.first;
      }
      this.#place = undefined;
      // What is forgotten is begun anew soon; what is not there, or not allowed, later.
      if (refusal.status === 410) return this.#around.pauses.first;
      if (refusal.status === 403)
        this.#complain('not allowed to watch; changes are seen with the next sync only');
      // Perhaps it may not be listed either by now, which the status is to say.
      if (refusal.status !== 403 || !this.#isDenied) this.#around.ring();
      this.#isDenied = refusal.status === 403;
      return this.#around.pauses.absent;
    } finally {
      await client.close();
    }
  }

  /** Twice as long each time, until something comes. */
  #nextPause(): number {
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(pauseMs * 2, this.#around.pauses.longest);
    return pauseMs;
  }

  /** From now on; undefined where there is no such resource, or it may not be listed. Whatever was before is unknown. */
  async #begin(client: ClusterClient, signal: AbortSignal): Promise<Place | undefined> {
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

  /** Until the server ends it; the answer where it is none of a watch. */
  async #follow(client: ClusterClient, place: Place, signal: AbortSignal): Promise<Answer | undefined> {
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
      await events.return(undefined); // an error ends the following, not the connection
    }
  }

  /** Whether something else is offered than before. Of what was not seen yet, nobody can say. */
  #isNews(type: WatchEvent['type'], object: WatchEvent['object'], root: string): boolean {
    const { resource, namePrefix } = this.#part;
    const uid = textOf(mapOf(object['metadata'])['uid']) ?? '';
    const offer = type === 'DELETED' ? undefined : offerOf(object, { resource, root, namePrefix });
    const mark = offer === undefined ? null : markOf(offer);
    const before = this.#seen.get(uid);
    if (type === 'DELETED') this.#seen.delete(uid);
    else this.#seen.set(uid, mark);
    // What was made just now, and offers nothing, was not there before.
    if (type === 'ADDED' && mark === null) return before !== undefined && before !== null;
    return before === undefined || before !== mark;
  }

  get #selected(): Readonly<Record<string, string>> {
    const { labelSelector } = this.#part;
    return labelSelector === undefined ? {} : { labelSelector };
  }

  /** Once for each thing that goes wrong, until it works again. */
  #complain(message: string, error?: unknown): void {
    const { resource, namespace } = this.#part;
    if (this.#complaint === message) return;
    this.#complaint = message;
    this.#around.logger.warn({ resource: resource.name, namespace, err: error }, message);
  }
}

/** An error within a watch that has begun. Throws for what is no answer to a version. */
function errorOf(object: WatchEvent['object']): Answer {
  const { code } = object;
  if (code === 410 || code === 403 || code === 404) return { status: code, body: object };
  throw answerUnusable(`an error within a watch (${typeof code === 'number' ? code : 'unknown'})`);
}
