import { randomUUID } from 'node:crypto';
import {
  type ClientExchange,
  type ClientVerdict,
  type Denial,
  findGroupOverage,
  type Logger,
  type NotificationView,
  type ProxyMiddlewareContext,
  type RequestView,
} from '@portolan/plugin-api';
import { DenialBook } from './denial-book.ts';
import { refusalOf } from './refusal-of.ts';

/** What a client says and asks for something. */
export type Said = RequestView | NotificationView;

/** Why something is denied, for whoever runs the workload. */
export interface DenialReason {
  readonly because: readonly string[];
  /** Left out: none in particular. */
  readonly policy?: Denial['policy'];
  /** What was asked about, `Tool::"forecast"`; left out: nothing that has a name. */
  readonly target?: string;
  readonly saw?: Denial['saw'];
}

/** Of a text that a caller has chosen. */
const MAX_CHARACTERS = 300;

/** Keeps why something was denied, and tells whoever is denied an id and nothing else, by which `authz why` finds it. */
export class Denials {
  readonly #kind: string;
  readonly #workload: string;
  readonly #book: DenialBook;
  readonly #clock: () => Date;
  readonly #logger: Logger;

  /** `kind` is the name of who denies. */
  constructor(
    kind: string,
    { workload, clock, logger }: Pick<ProxyMiddlewareContext, 'workload' | 'clock' | 'logger'>,
  ) {
    this.#kind = kind;
    this.#workload = workload.name;
    this.#book = new DenialBook(workload.directory);
    this.#clock = clock;
    this.#logger = logger;
  }

  async deny(
    { method }: Said,
    exchange: ClientExchange,
    { because, policy, target, saw = {} }: DenialReason,
  ): Promise<ClientVerdict> {
    const overage = findGroupOverage(exchange.caller?.claims ?? {});
    const asked = target === undefined ? method : `${method} of ${target}`;
    const denial: Denial = {
      id: randomUUID(),
      at: this.#clock().toISOString(),
      workload: this.#workload,
      kind: this.#kind,
      caller: exchange.caller?.subject.slice(0, MAX_CHARACTERS),
      asked: asked.slice(0, MAX_CHARACTERS),
      because: overage === undefined ? because : [...because, overage],
      policy,
      saw,
    };
    try {
      await this.#book.note(denial);
    } catch (error) {
      // It is denied all the same.
      this.#logger.error({ err: error, denial: denial.id }, 'denial could not be kept');
    }
    return refusalOf(method, exchange, denial.id);
  }

  /** Waits for what is written. */
  async close(): Promise<void> {
    await this.#book.close();
  }
}
