import { hash } from 'node:crypto';
import type { Logger } from '@portolan/plugin-api';
import type { RequestedBucket, Buckets } from './buckets.ts';
import { redisAway } from './errors.ts';

export interface RedisCall {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  destroy(): void;
}

export interface RedisBucketsOptions {
  readonly client: RedisCall;
  readonly place: string;
  readonly prefix: string;
  /** Workloads with equal values share buckets. */
  readonly shared: readonly string[];
  /** Timeout of a command in milliseconds. */
  readonly timeoutMs: number;
  readonly logger: Logger;
}

/**
 * Lua version of `token-bucket.ts`. Takes tokens from all buckets atomically with the clock of Redis, so that
 * differing clocks of proxies do not matter. A key expires when its bucket is full.
 */
const TAKE = `local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local wait, after = 0, {}
local function keep(key, at)
  redis.call('SET', key, string.format('%.0f', at), 'PX', math.ceil((at - now) / 1000))
end
for i = 1, #KEYS do
  local token, full = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  local at = tonumber(redis.call('GET', KEYS[i]) or now) or now
  if at < now then at = now end
  if at > now + full then
    at = now + full
    keep(KEYS[i], at)
  end
  after[i] = at + token
  wait = math.max(wait, after[i] - now - full)
end
if wait == 0 then
  for i = 1, #KEYS do keep(KEYS[i], after[i]) end
end
return wait`;

/** Milliseconds without Redis commands after a failure, so that not every call waits for the timeout. */
const PAUSE_MS = 1000;

export class RedisBuckets implements Buckets {
  readonly #options: RedisBucketsOptions;
  readonly #begin: string;
  #awaySince: number | undefined;

  constructor(options: RedisBucketsOptions) {
    this.#options = options;
    const shared = hash('sha256', JSON.stringify(options.shared), 'base64url').slice(0, 22);
    // The hash tag in braces puts all keys of a call on one node of a Redis cluster.
    this.#begin = `${options.prefix}:rate:{${shared}}`;
  }

  async take(buckets: readonly RequestedBucket[]): Promise<number> {
    const { place } = this.#options;
    if (this.#awaySince !== undefined && performance.now() - this.#awaySince < PAUSE_MS)
      throw redisAway(place);
    const keys = buckets.map(({ limit, owner }) => `${this.#begin}:${limit}:${owner}`);
    const sizes = buckets.flatMap(({ size }) => [String(size.tokenUs), String(size.fullUs)]);
    try {
      const waitUs = Number(await this.#within(keys, sizes));
      if (!Number.isFinite(waitUs)) throw new TypeError('the response is not a number');
      this.back();
      return waitUs / 1000;
    } catch (error) {
      this.away(error);
      throw redisAway(place, error);
    }
  }

  /** Marks Redis as unreachable, and logs it once. */
  away(error: unknown): void {
    const { logger, place } = this.#options;
    if (this.#awaySince === undefined)
      logger.warn({ err: error, redis: place }, 'rate limits cannot be counted');
    this.#awaySince = performance.now();
  }

  back(): void {
    const { logger, place } = this.#options;
    if (this.#awaySince !== undefined) logger.info({ redis: place }, 'rate limits are counted again');
    this.#awaySince = undefined;
  }

  async close(): Promise<void> {
    try {
      this.#options.client.destroy();
    } catch {
      // ignored: the client never connected
    }
  }

  /** Limits the time of a command. A connected but unresponsive Redis counts as unreachable. */
  async #within(keys: string[], sizes: string[]): Promise<unknown> {
    const { client, timeoutMs } = this.#options;
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`no response in ${timeoutMs} ms`)), timeoutMs);
    try {
      return await Promise.race([client.eval(TAKE, { keys, arguments: sizes }), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
