import type { RequestMessage } from '@portolan/mcp-protocol';
import type { MessageSender } from '@portolan/plugin-api';
import { randomUUID } from 'node:crypto';
import { CallSeal } from './call-seal.ts';
import type { EraContext } from '../era-options.ts';

/** Call that waits for the next request of its client. */
export interface ParkedCall {
  readonly owner: string | undefined;
  /** Returns whether a request is a retry of this call. */
  matches(retry: RequestMessage): boolean;
  resume(retry: RequestMessage, sender: MessageSender | undefined): void;
  /** Called when no retry came in time, or the caller parked too many calls. */
  expire(): void;
}

interface Entry {
  readonly call: ParkedCall;
  readonly timer: NodeJS.Timeout;
}

/** Calls that wait for their clients, with a maximum per caller. */
export class ParkedCalls {
  readonly #context: EraContext;
  readonly #seal = new CallSeal();
  /** Oldest first. */
  readonly #entries = new Map<string, Entry>();

  constructor(context: EraContext) {
    this.#context = context;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Parks a call and returns its `requestState`. Cancels the oldest call of the caller above the maximum. */
  park(call: ParkedCall): string {
    const { owner } = call;
    const { parkedMs, maxParked } = this.#context.limits;
    const own = [...this.#entries].filter(([, entry]) => entry.call.owner === owner);
    const [oldest] = own;
    if (oldest !== undefined && own.length >= maxParked) this.#expire(oldest[0]);
    const id = randomUUID();
    const timer = setTimeout(() => this.#expire(id), parkedMs);
    this.#entries.set(id, { call, timer });
    return this.#seal.seal({ call: id, owner, untilMs: this.#context.nowMs() + parkedMs });
  }

  /** Returns the call of a `requestState`. Undefined when it is not this caller's, or has expired. */
  find(state: string, owner: string | undefined): ParkedCall | undefined {
    const sealed = this.#seal.open(state);
    if (sealed === undefined || sealed.owner !== owner || sealed.untilMs < this.#context.nowMs())
      return undefined;
    return this.#entries.get(sealed.call)?.call;
  }

  /** Forgets a call that continues or has ended. */
  forget(call: ParkedCall): void {
    for (const [id, entry] of this.#entries) if (entry.call === call) this.#remove(id);
  }

  close(): void {
    for (const id of this.#entries.keys()) this.#expire(id);
  }

  #expire(id: string): void {
    this.#remove(id)?.expire();
  }

  #remove(id: string): ParkedCall | undefined {
    const entry = this.#entries.get(id);
    clearTimeout(entry?.timer);
    this.#entries.delete(id);
    return entry?.call;
  }
}
