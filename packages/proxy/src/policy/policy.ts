import {
  type ResponseHead,
  type ClientRequest,
  type Logger,
  PROXY_SLOTS,
  type ProxySlot,
  type RequestEnd,
} from '@portolan/plugin-api';
import { KnownLists } from './known-lists.ts';
import type { PlacedProxyMiddleware } from '../request/placed-middleware.ts';

export class Policy {
  /** All middleware: ordered by slot, and within a slot by the configuration. */
  readonly all: readonly PlacedProxyMiddleware[];
  readonly answering: readonly PlacedProxyMiddleware[];
  readonly proving: readonly PlacedProxyMiddleware[];
  readonly lists = new KnownLists();
  readonly logger: Logger;
  readonly #hearBegins: boolean;

  constructor(placed: readonly PlacedProxyMiddleware[], logger: Logger) {
    this.all = PROXY_SLOTS.flatMap((slot) => placed.filter((one) => one.placed === slot));
    this.answering = this.all.filter(({ instance }) => instance.onResponse !== undefined).toReversed();
    this.proving = this.all.filter(({ instance }) => instance.credentials !== undefined);
    this.#hearBegins = this.all.some(({ instance }) => instance.onResponseHead !== undefined);
    this.logger = logger;
  }

  judgesIn(slot: ProxySlot): readonly PlacedProxyMiddleware[] {
    return this.all.filter(({ placed, instance }) => placed === slot && instance.onMessage !== undefined);
  }

  /**
   * Reports the start of a response to middleware. `read` is called only when some middleware has `onResponseHead`.
   */
  begun(read: () => ResponseHead, request: ClientRequest): void {
    if (!this.#hearBegins) return;
    const begin = read();
    for (const { name, instance } of this.all) {
      try {
        instance.onResponseHead?.(begin, request);
      } catch (error) {
        this.logger.error(
          { err: error, middleware: name },
          'proxy middleware failed at the start of a response',
        );
      }
    }
  }

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

/**
 * Creates the policy. Returns undefined when no middleware is configured, so that requests skip this code.
 */
export function createPolicy(
  placed: readonly PlacedProxyMiddleware[] | undefined,
  logger: Logger,
): Policy | undefined {
  return placed === undefined || placed.length === 0 ? undefined : new Policy(placed, logger);
}
