import {
  type AnswerBegin,
  type ClientRequest,
  type Logger,
  PROXY_SLOTS,
  type ProxySlot,
  type RequestEnd,
} from '@portolan/plugin-api';
import { KnownLists } from './known-lists.ts';
import type { PlacedProxyMiddleware } from '../request/placed-middleware.ts';

/** Everything that stands in the slots of one proxy. */
export class Policy {
  /** In the order of the slots; several in one slot as they were given. */
  readonly all: readonly PlacedProxyMiddleware[];
  /** Those who judge what clients are told, in the order in which they do. */
  readonly answering: readonly PlacedProxyMiddleware[];
  /** Those who prove to the server who asks. */
  readonly proving: readonly PlacedProxyMiddleware[];
  readonly lists = new KnownLists();
  readonly logger: Logger;
  readonly #hearBegins: boolean;

  constructor(placed: readonly PlacedProxyMiddleware[], logger: Logger) {
    this.all = PROXY_SLOTS.flatMap((slot) => placed.filter((one) => one.placed === slot));
    this.answering = this.all.filter(({ instance }) => instance.onAnswer !== undefined).toReversed();
    this.proving = this.all.filter(({ instance }) => instance.credentials !== undefined);
    this.#hearBegins = this.all.some(({ instance }) => instance.onBegin !== undefined);
    this.logger = logger;
  }

  /** Those in a slot who look at messages of clients. */
  judgesIn(slot: ProxySlot): readonly PlacedProxyMiddleware[] {
    return this.all.filter(({ placed, instance }) => placed === slot && instance.onMessage !== undefined);
  }

  /** Tells everybody who wants to know that an answer begins; `read` is asked only where somebody does. */
  begun(read: () => AnswerBegin, request: ClientRequest): void {
    if (!this.#hearBegins) return;
    const begin = read();
    for (const { name, instance } of this.all) {
      try {
        instance.onBegin?.(begin, request);
      } catch (error) {
        this.logger.error({ err: error, middleware: name }, 'proxy middleware failed as an answer began');
      }
    }
  }

  /** Tells everybody who wants to know how a request ended; none of them can change that any more. */
  ended(end: RequestEnd, request: ClientRequest): void {
    for (const { name, instance } of this.all) {
      try {
        instance.onEnd?.(end, request);
      } catch (error) {
        this.logger.error({ err: error, middleware: name }, 'proxy middleware failed after a request');
      }
    }
  }
}

/** The policy of a proxy; undefined where nothing stands in any slot, so that nothing is paid for it. */
export function createPolicy(
  placed: readonly PlacedProxyMiddleware[] | undefined,
  logger: Logger,
): Policy | undefined {
  return placed === undefined || placed.length === 0 ? undefined : new Policy(placed, logger);
}
