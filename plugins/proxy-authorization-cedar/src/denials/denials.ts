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
import { isKnownMethod } from '../request/target.ts';

/**
 * Returns an id and no reason.
 * In revisions without handshake, an unknown method must get status 404 and code -32601. Earlier revisions
 * specify no status.
 */
function refusalOf(method: string, { era }: ClientExchange, denialId: string): ClientVerdict {
  const data = { denialId };
  return era === 'modern' && (REMOVED.includes(method) || !isKnownMethod(method))
    ? { refuse: { message: 'Method not found', status: 404, code: -32_601, data } }
    : { refuse: { message: 'Unauthorized', status: 403, code: 403, data } };
}

/** Methods that revisions without a handshake removed. */
const REMOVED: readonly string[] = [
  'resources/subscribe',
  'resources/unsubscribe',
  'tasks/list',
  'tasks/result',
];

export type DeniedMessage = RequestView | NotificationView;

export interface DenialReason {
  readonly because: readonly string[];
  /** Policy that denied; undefined if no single policy did. */
  readonly policy?: Denial['policy'];
  /** Target such as `Tool::"forecast"`; undefined without a name. */
  readonly target?: string;
  readonly saw?: Denial['saw'];
}

/** Maximum length of texts that the caller chose. */
const MAX_CHARACTERS = 300;

/** Creates denials. The caller gets only an id, by which `authz why` finds the reason. */
export class Denials {
  readonly #kind: string;
  readonly #workload: string;
  readonly #book: DenialBook;
  readonly #clock: () => Date;
  readonly #logger: Logger;

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
    { method }: DeniedMessage,
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
      // Not awaited: the denial does not depend on the record.
      this.#logger.error({ err: error, denial: denial.id }, 'denial could not be recorded');
    }
    return refusalOf(method, exchange, denial.id);
  }

  async close(): Promise<void> {
    await this.#book.close();
  }
}
