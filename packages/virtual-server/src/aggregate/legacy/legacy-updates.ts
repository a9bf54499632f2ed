import {
  memberOf,
  type NotificationMessage,
  ownRequest,
  type RequestMessage,
  type ResponseMessage,
} from '@portolan/mcp-protocol';
import type { ServerLink } from '@portolan/proxy/server-link';
import { isBelow } from '../resource-parts.ts';
import type { Member } from '../../members/member.ts';

/** Maximum number of resources that one session subscribes to. */
const MAX_RESOURCES = 1000;
/** Milliseconds before a lost session with subscriptions is opened again, doubling up to a minute. */
const FIRST_REOPEN_MS = 1000;
const MAX_REOPEN_MS = 60_000;

interface Reopening {
  timer: NodeJS.Timeout | undefined;
  delayMs: number;
}

/** Resources that one session subscribes to, and at which member. */
export class LegacyUpdates {
  readonly #members = new Map<string, Member>();
  readonly #reopen: (member: Member) => Promise<unknown>;
  readonly #reopening = new Map<Member, Reopening>();

  /** `reopen` opens the session at a member again. */
  constructor(reopen: (member: Member) => Promise<unknown>) {
    this.#reopen = reopen;
  }

  get isFull(): boolean {
    return this.#members.size >= MAX_RESOURCES;
  }

  /** Records the response to `resources/subscribe` or `resources/unsubscribe`. */
  learn({ method, params }: RequestMessage, member: Member, response: ResponseMessage): void {
    const uri = memberOf(params, 'uri');
    if (typeof uri !== 'string' || response.isError) return;
    if (method === 'resources/subscribe') this.#members.set(uri, member);
    else if (this.#members.get(uri) === member) this.#members.delete(uri);
  }

  /** Returns the member at which the session subscribes to a resource. */
  memberOf(uri: string): Member | undefined {
    return this.#members.get(uri);
  }

  /** Returns whether a member may notify of this resource: the session subscribes to it, or to one above it, there. */
  isOwn(member: Member, { params }: NotificationMessage): boolean {
    const uri = memberOf(params, 'uri');
    if (typeof uri !== 'string') return false;
    const exact = this.#members.get(uri);
    if (exact !== undefined) return exact === member;
    return [...this.#members].some(([own, owner]) => owner === member && isBelow(uri, own));
  }

  /** Subscribes again in a new session at a member. */
  resubscribe(member: Member, link: ServerLink): void {
    const receiver = { answered: () => undefined, progressed: () => undefined, failed: () => undefined };
    for (const [uri, owner] of this.#members) {
      if (owner !== member) continue;
      try {
        link.request(ownRequest('resources/subscribe', { uri }), receiver);
      } catch {
        return;
      }
    }
  }

  /** Opens the session at a member again when it carries subscriptions. */
  linkEnded(member: Member): void {
    const reopening = this.#reopening.get(member) ?? { timer: undefined, delayMs: FIRST_REOPEN_MS };
    if (reopening.timer !== undefined || ![...this.#members.values()].includes(member)) return;
    this.#reopening.set(member, reopening);
    reopening.timer = setTimeout(() => {
      reopening.timer = undefined;
      this.#reopen(member).catch(() => this.linkEnded(member));
    }, reopening.delayMs);
    reopening.delayMs = Math.min(reopening.delayMs * 2, MAX_REOPEN_MS);
  }

  leave(member: Member): void {
    clearTimeout(this.#reopening.get(member)?.timer);
    this.#reopening.delete(member);
    for (const [uri, owner] of this.#members) if (owner === member) this.#members.delete(uri);
  }

  close(): void {
    for (const { timer } of this.#reopening.values()) clearTimeout(timer);
    this.#reopening.clear();
    this.#members.clear();
  }
}
