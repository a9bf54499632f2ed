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

/** Message of a client that can require authorization. */
export type Said = RequestView | NotificationView;

/** Reason of a denial, for the operator. */
export interface DenialReason {
  readonly because: readonly string[];
  /** Policy that denied; left out if no single one did. */
  readonly policy?: Denial['policy'];
  /** Requested entity, `Tool::"forecast"`; left out if it has no name. */
  readonly target?: string;
  readonly saw?: Denial['saw'];
}

/** Maximum length of a text that the caller chose. */
const MAX_CHARACTERS = 300;

/** Records the reasons of denials. The caller gets only an id, by which `authz why` finds the reason. */
export class Denials {
  readonly #kind: string;
  readonly #workload: string;
  readonly #book: DenialBook;
  readonly #clock: () => Date;
  readonly #logger: Logger;

  /** `kind` names the authorizer. */
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
      // The denial does not depend on the record.
      this.#logger.error({ err: error, denial: denial.id }, 'denial could not be recorded');
    }
    return refusalOf(method, exchange, denial.id);
  }

  /** Waits for pending writes. */
  async close(): Promise<void> {
    await this.#book.close();
  }
}
