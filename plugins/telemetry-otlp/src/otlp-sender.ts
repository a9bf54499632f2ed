import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@portolan/plugin-api';
import type { RefusedPart } from './refused-part.ts';

export interface SenderOptions {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
  readonly logger: Logger;
  /** Name of the data in log lines. */
  readonly called: string;
  /** Milliseconds between retries; undefined for no retry. */
  readonly pausesMs?: readonly number[];
  /** A successful response may report rejections. */
  readonly refusedIn: (response: Uint8Array) => RefusedPart | undefined;
}

const REQUEST_LIMIT_MS = 10_000;
const MAX_PAUSE_MS = 10_000;
/** Maximum number of bytes of a response that are read. */
const MAX_RESPONSE_BYTES = 65_536;

/** Statuses after which a retry may succeed (OTLP, "Failures"). */
const PASSING: readonly number[] = [429, 502, 503, 504];

/**
 * Sends data to the collector. Never rejects: it logs the first failure and drops the data, so that nothing
 * accumulates.
 */
export class OtlpSender {
  readonly #options: SenderOptions;
  readonly #aborted = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  #isFailing = false;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  async send(body: Uint8Array<ArrayBuffer>): Promise<void> {
    const sending = this.#send(body);
    this.#underWay.add(sending);
    await sending;
    this.#underWay.delete(sending);
  }

  /** Resolves when no request is pending. */
  async idle(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  abort(): void {
    this.#aborted.abort();
  }

  async #send(body: Uint8Array<ArrayBuffer>): Promise<void> {
    for (const pauseMs of [...(this.#options.pausesMs ?? []), undefined]) {
      const outcome = await this.#post(body);
      if (outcome === 'sent') return this.#tell(undefined);
      const isLast = pauseMs === undefined || !outcome.isTransient || this.#aborted.signal.aborted;
      if (isLast) return this.#tell(outcome);
      await this.#pause(outcome.pauseMs ?? pauseMs);
    }
  }

  async #post(body: Uint8Array<ArrayBuffer>): Promise<'sent' | Failure> {
    const { address, headers, fetch } = this.#options;
    try {
      const signal = AbortSignal.any([this.#aborted.signal, AbortSignal.timeout(REQUEST_LIMIT_MS)]);
      const response = await fetch(address, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/x-protobuf' },
        body,
        // Refuse redirects, because headers may contain a key that must not go to another address.
        redirect: 'manual',
        signal,
      });
      if (response.ok) return await this.#readPart(response);
      await response.body?.cancel();
      const { status } = response;
      const isTransient = PASSING.includes(status);
      return { status, isTransient, pauseMs: pauseOf(response.headers.get('retry-after')) };
    } catch (error) {
      return { error, isTransient: true };
    }
  }

  /** Reads a part of the response. Success is final, so an unreadable body causes no retry. */
  async #readPart({ body }: Response): Promise<'sent' | Failure> {
    try {
      const response = await readAtMost(body, MAX_RESPONSE_BYTES);
      const part = response === undefined ? undefined : this.#options.refusedIn(response);
      return part === undefined ? 'sent' : { part, isTransient: false };
    } catch {
      return 'sent';
    }
  }

  async #pause(ms: number): Promise<void> {
    try {
      await pause(Math.min(ms, MAX_PAUSE_MS), undefined, { signal: this.#aborted.signal, ref: false });
    } catch {
      // aborted: the next request fails at once, and the sender logs it
    }
  }

  #tell(failure: Failure | undefined): void {
    const { logger, address, called } = this.#options;
    if (failure === undefined) {
      if (this.#isFailing) logger.info({ address }, `${called} are exported again`);
      this.#isFailing = false;
    } else if (!this.#isFailing) {
      this.#isFailing = true;
      const { status, error, part } = failure;
      const because = status === undefined ? { err: error } : { status };
      if (part === undefined)
        logger.warn({ address, ...because }, `${called} cannot be exported, and are dropped meanwhile`);
      else logger.warn({ address, ...part }, `${called} were rejected in part, which is dropped`);
    }
  }
}

interface Failure {
  readonly status?: number;
  readonly error?: unknown;
  readonly part?: RefusedPart;
  /** Whether a retry may succeed. */
  readonly isTransient: boolean;
  readonly pauseMs?: number | undefined;
}

/** Returns the pause of `Retry-After`. Ignores a date, because the clocks may differ. */
function pauseOf(retryAfter: string | null): number | undefined {
  return retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1000 : undefined;
}

/** Reads a body; undefined if it is empty or exceeds the limit. */
async function readAtMost(
  body: ReadableStream<Uint8Array> | null,
  limit: number,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > limit) return undefined;
    chunks.push(chunk);
  }
  return bytes === 0 ? undefined : Buffer.concat(chunks);
}
