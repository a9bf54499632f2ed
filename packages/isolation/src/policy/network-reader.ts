import { lookup } from 'node:dns/promises';
import { Semaphore } from '@portolan/plugin-api';
import { AddressRanges, type IpAddress, readIpAddress } from '@portolan/outbound';
import { readHostAddresses } from './host-addresses.ts';
import { readFile } from 'node:fs/promises';

/** Maximum number of this host's ports that the relay opens, with one socket each. */
const MAX_PORTS = 1000;
const LISTEN = '0A';

/**
 * Returns the TCP ports with a service at an address, in ascending order, at most 1,000. Linux only; empty on
 * other systems.
 */
export async function readListeningPorts(address: string): Promise<readonly number[]> {
  const tables = await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map((file) => readTable(file)));
  const ports = new Set(tables.flatMap((text) => parseListeningPorts(text, address)));
  return [...ports].toSorted((one, other) => one - other).slice(0, MAX_PORTS);
}

/** Parses the ports that listen on `address` or on all addresses, from a table of the kernel. */
export function parseListeningPorts(text: string, address: string): readonly number[] {
  return text.split('\n').flatMap((line) => {
    const [, local = '', , state] = line.trim().split(/\s+/);
    const [host = '', port = ''] = local.split(':');
    if (state !== LISTEN || !(/^0+$/.test(host) || readHost(host) === address)) return [];
    return [Number.parseInt(port, 16)];
  });
}

/** Parses a hexadecimal word in machine byte order, including `::ffff:` addresses. */
function readHost(hex: string): string | undefined {
  const word = hex.length === 32 && hex.startsWith('0000000000000000FFFF0000') ? hex.slice(24) : hex;
  if (word.length !== 8) return undefined;
  const bytes = (word.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16));
  return readIpAddress(bytes.toReversed().join('.'))?.text;
}

/** Reads a table of the kernel; empty without IPv6, and on other systems. */
async function readTable(file: string): Promise<string> {
  try {
    return await readFile(file, 'latin1');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}

export interface EngineNetworks {
  readonly defaultGateway: string | undefined;
  readonly gateways: readonly string[];
  /** Subnets of container networks, except those that are part of the local network (macvlan, ipvlan). */
  readonly subnets: readonly string[];
}

export interface EgressContext {
  /**
   * Reads the networks of the engine. Results are cached for one second. A failure refuses the connection.
   */
  readonly readEngineNetworks: () => Promise<EngineNetworks>;
  /** Default: all addresses and local routes of this machine. */
  readonly readHostAddresses?: () => Promise<readonly string[]>;
  /**
   * Returns the TCP ports of this host on which a service listens. Default: read from the kernel's tables.
   */
  readonly readListeningPorts?: (address: string) => Promise<readonly number[]>;
  /** Returns addresses in dialling order. Default: the system's resolver. */
  readonly lookup?: (name: string) => Promise<readonly string[]>;
}

export interface Sight {
  readonly defaultGateway: IpAddress | undefined;
  readonly gateways: AddressRanges;
  readonly containerNetworks: AddressRanges;
  readonly thisHost: AddressRanges;
}

const FRESH_MS = 1000;
const MAX_LOOK_MS = 10_000;

/**
 * Threads of libuv for name lookups: half of its pool, which has 4 unless `UV_THREADPOOL_SIZE` is set
 * (uv_getaddrinfo).
 */
const LOOKUP_THREADS = Math.floor((Number(process.env['UV_THREADPOOL_SIZE'] ?? 4) + 1) / 2);
/**
 * Maximum concurrent lookups for a workload. A name with unresponsive servers occupies a thread for up to 40
 * s; one thread stays free for this process's own names.
 */
const MAX_LOOKUPS = Math.max(1, LOOKUP_THREADS - 1);
/** Maximum number of names that wait for a look-up; further ones reject. */
const MAX_WAITING_NAMES = 1024;

interface Look {
  readonly sight: Promise<Sight>;
  readonly from: number;
  isPending: boolean;
}

/** Reads addresses and networks of this host. All connections of the same second share one result. */
export class NetworkReader {
  readonly #context: EgressContext;
  readonly #nowMs: () => number;
  readonly #longestMs: number;
  readonly #lookups = new Semaphore(MAX_LOOKUPS);
  readonly #names = new Map<string, Promise<readonly string[]>>();
  #last: Look | undefined;
  #gateway: string | undefined;

  constructor(
    context: EgressContext,
    nowMs: () => number = () => performance.now(),
    longestMs = MAX_LOOK_MS,
  ) {
    this.#context = context;
    this.#nowMs = nowMs;
    this.#longestMs = longestMs;
  }

  /**
   * Returns the current addresses and networks. Rejects like the engine or the system, or after 10 s.
   * Failures are not cached.
   */
  look(): Promise<Sight> {
    const now = this.#nowMs();
    const last = this.#last;
    // A slow engine gets one request at a time.
    const usableMs = last?.isPending === true ? this.#longestMs : FRESH_MS;
    if (last !== undefined && now - last.from < usableMs) return last.sight;
    const started: Look = { sight: within(this.#longestMs, this.#read()), from: now, isPending: true };
    this.#last = started;
    const settle = (): void => {
      started.isPending = false;
    };
    const forget = (): void => {
      if (this.#last === started) this.#last = undefined;
    };
    started.sight.then(settle, forget);
    return started.sight;
  }

  async #read(): Promise<Sight> {
    const { readEngineNetworks, readHostAddresses: readOwn = readHostAddresses } = this.#context;
    const [engine, own] = await Promise.all([readEngineNetworks(), readOwn()]);
    const { defaultGateway, gateways, subnets } = engine;
    return {
      defaultGateway: defaultGateway === undefined ? undefined : readIpAddress(defaultGateway),
      gateways: new AddressRanges(defaultGateway === undefined ? gateways : [defaultGateway, ...gateways]),
      containerNetworks: new AddressRanges(subnets),
      thisHost: new AddressRanges(own),
    };
  }

  /** Returns the TCP ports of this host that are open on the engine's default bridge. */
  async listHostPorts(): Promise<readonly number[]> {
    // Cached, because this runs every second.
    this.#gateway ??= (await this.look()).defaultGateway?.text;
    const { readListeningPorts: readPorts = readListeningPorts } = this.#context;
    return this.#gateway === undefined ? [] : await readPorts(this.#gateway);
  }

  /** Rejects when a name has no address, nothing responds in time, or 1,024 names wait already. */
  async resolve(name: string, timeoutMs: number): Promise<readonly IpAddress[]> {
    const matches = await within(timeoutMs, this.#names.get(name) ?? this.#lookUp(name, timeoutMs));
    const addresses = matches.flatMap((text) => readIpAddress(text) ?? []);
    if (addresses.length === 0) throw new Error('no address');
    return addresses;
  }

  /** Concurrent connections to the same name share one lookup. */
  #lookUp(name: string, timeoutMs: number): Promise<readonly string[]> {
    const found = this.#find(name, timeoutMs).finally(() => this.#names.delete(name));
    this.#names.set(name, found);
    return found;
  }

  async #find(name: string, timeoutMs: number): Promise<readonly string[]> {
    if (this.#lookups.waiting >= MAX_WAITING_NAMES) throw new Error('too many DNS lookups are pending');
    const leave = await this.#lookups.enter(AbortSignal.timeout(timeoutMs));
    if (leave === undefined) throw new Error('no answer');
    try {
      return await (this.#context.lookup ?? systemLookup)(name);
    } finally {
      leave();
    }
  }
}

async function within<Value>(milliseconds: number, promise: Promise<Value>): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('no answer')), milliseconds);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function systemLookup(name: string): Promise<readonly string[]> {
  const addresses = await lookup(name, { all: true, order: 'verbatim' });
  return addresses.map(({ address }) => address);
}
