import { createHash } from 'node:crypto';
import { type StoredSession, type SessionStore, isJsonObject } from '@portolan/plugin-api';
import type { Client } from './make-client.ts';

export interface RedisSessionsOptions {
  readonly client: Client;
  readonly prefix: string;
  readonly namespace: string;
  readonly ttlMs: number;
  /** Timeout of a command in milliseconds. */
  readonly timeoutMs: number;
  readonly away: (cause: unknown) => Error;
}

/** Maximum number of pending requests in one session. */
const MAX_ASKED = 1000;

/** Script that sets the revision only for an existing session, so that a removed one does not reappear. */
const AGREE = `if redis.call('HEXISTS', KEYS[1], 'session') == 1 then
  redis.call('HSET', KEYS[1], 'revision', ARGV[1])
end`;

/**
 * Maximum number of fields of a session: its data, and the keys it has used. Above it, a text key counts as
 * used.
 */
const MAX_FIELDS = 1100;
/**
 * Size of the window below the highest number. Numbers within it may still arrive, because requests overtake
 * each other.
 */
const WINDOW = 64;

/**
 * Adds a request and returns whether its key was used before, in one atomic step (docs/concepts/session-replay.md).
 * The used keys are fields of the session: for numbers the highest and the missing ones in the window below
 * it, for texts a hash. A session without a highest number does not exist, or an older proxy created it: then
 * every key counts as used.
 */
const ASK = `if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then return 'waits' end
if redis.call('HLEN', KEYS[2]) >= tonumber(ARGV[3]) then return 'full' end
local function overtaken(number) return string.format('overtaken:%.0f', number) end
local highest = tonumber(redis.call('HGET', KEYS[1], 'highest'))
local digits = string.match(ARGV[1], '^n(%d+)$')
local used = true
if highest and digits and #digits <= 15 then
  local number, window = tonumber(digits), tonumber(ARGV[6])
  if number <= highest then
    used = redis.call('HDEL', KEYS[1], overtaken(number)) == 0
  else
    used = false
    for old = math.max(highest - window, 0), math.min(highest, number - window - 1) do
      redis.call('HDEL', KEYS[1], overtaken(old))
    end
    for missed = math.max(highest + 1, number - window), number - 1 do
      redis.call('HSET', KEYS[1], overtaken(missed), '')
    end
    redis.call('HSET', KEYS[1], 'highest', string.format('%.0f', number))
  end
elseif highest then
  local field = 'used:' .. redis.sha1hex(ARGV[1])
  used = redis.call('HEXISTS', KEYS[1], field) == 1 or redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[5])
  if not used then redis.call('HSET', KEYS[1], field, '') end
end
redis.call('HSET', KEYS[2], ARGV[1], used and '' or ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return used and 'used' or 'kept'`;

/**
 * Two hashes per session, which Redis expires when unused: its data with the used keys, and its pending
 * requests. Key names contain no session id, because anyone who may list keys could use it.
 */
export class RedisSessions implements SessionStore {
  readonly #options: RedisSessionsOptions;
  readonly #ttl: string;
  #isClosed = false;

  constructor(options: RedisSessionsOptions) {
    this.#options = options;
    this.#ttl = String(Math.max(1, Math.ceil(options.ttlMs)));
  }

  async begin(id: string, { path, owner, revision }: StoredSession): Promise<boolean> {
    const key = this.#keyOf(id);
    const session = JSON.stringify({ path, owner });
    const [isNew] = await this.#within((client) =>
      client
        .multi()
        .hSetNX(key, 'session', session)
        .hSetNX(key, 'highest', '-1')
        .pExpire(key, Number(this.#ttl))
        .exec(),
    );
    if (Number(isNew) !== 1) return false;
    if (revision !== undefined) await this.agree(id, revision);
    return true;
  }

  async use(id: string): Promise<StoredSession | undefined> {
    const key = this.#keyOf(id);
    const [replyUnion] = await this.#within((client) =>
      client
        .multi()
        .hmGet(key, ['session', 'revision'])
        .pExpire(key, Number(this.#ttl))
        .pExpire(askedOf(key), Number(this.#ttl))
        .exec(),
    );
    return readSession(replyUnion);
  }

  async find(id: string): Promise<StoredSession | undefined> {
    const matches = await this.#within((client) => client.hmGet(this.#keyOf(id), ['session', 'revision']));
    return readSession(matches);
  }

  async agree(id: string, revision: string): Promise<void> {
    await this.#within((client) => client.eval(AGREE, { keys: [this.#keyOf(id)], arguments: [revision] }));
  }

  async end(id: string): Promise<void> {
    const key = this.#keyOf(id);
    await this.#within((client) => client.del([key, askedOf(key)]));
  }

  async ask(id: string, key: string, request: string): Promise<'kept' | 'used' | 'waits' | 'full'> {
    const session = this.#keyOf(id);
    const keys = [session, askedOf(session)];
    const limits = [MAX_ASKED, this.#ttl, MAX_FIELDS, WINDOW].map(String);
    const outcome: unknown = await this.#within((client) =>
      client.eval(ASK, { keys, arguments: [key, request, ...limits] }),
    );
    return outcome === 'kept' || outcome === 'used' || outcome === 'waits' ? outcome : 'full';
  }

  async take(id: string, key: string): Promise<string | undefined> {
    const requestKey = askedOf(this.#keyOf(id));
    const [request] = await this.#within((client) =>
      client.multi().hGet(requestKey, key).hDel(requestKey, key).exec(),
    );
    return typeof request === 'string' ? request : undefined;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      this.#options.client.destroy();
    } catch {
      // ignored: the client never connected
    }
  }

  #keyOf(id: string): string {
    const { prefix, namespace } = this.#options;
    const hash = createHash('sha256')
      .update(JSON.stringify([namespace, id]))
      .digest('base64url');
    return `${prefix}:${hash}`;
  }

  /** Limits the time of a command. A connected but unresponsive Redis counts as unreachable. */
  async #within<Result>(ask: (client: Client) => Promise<Result>): Promise<Result> {
    const { client, timeoutMs, away } = this.#options;
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`no response in ${timeoutMs} ms`)), timeoutMs);
    try {
      return await Promise.race([ask(client), late]);
    } catch (error) {
      throw away(error);
    } finally {
      clearTimeout(timer);
    }
  }
}

function askedOf(key: string): string {
  return `${key}:asked`;
}

/** Parses a session. Returns undefined for content that Portolan did not write. */
function readSession(match: unknown): StoredSession | undefined {
  const [session, revision]: readonly unknown[] = Array.isArray(match) ? match : [];
  const record = typeof session === 'string' ? parse(session) : undefined;
  if (!isJsonObject(record)) return undefined;
  const { path, owner } = record;
  if (typeof path !== 'string' || (owner !== undefined && typeof owner !== 'string')) return undefined;
  return { path, owner, revision: typeof revision === 'string' ? revision : undefined };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // another program wrote it
  }
}
