import { lookup } from 'node:dns/promises';
import { Semaphore } from '@portolan/plugin-api';
import { AddressRanges, type IpAddress, readIpAddress } from '@portolan/outbound';
import { readHostAddresses } from './host-addresses.ts';
import { readListeningPorts } from './listening-ports.ts';

/** What the container engine's own networks look like from here. */
export interface EngineNetworks {
  /** The address under which containers of the default bridge see this host; undefined where there is none. */
  readonly defaultGateway: string | undefined;
  /** Gateways of all its networks that are this host. */
  readonly gateways: readonly string[];
  /**
   * Subnets in which containers have their addresses. Not those of networks
   * that lie in the local network itself (macvlan, ipvlan).
   */
  readonly subnets: readonly string[];
}

/** What the policy engine asks about the machine it runs on. */
export interface EgressSurroundings {
  /** Asked again for connections later than a second after the last answer; a failure refuses the connection. */
  readonly readEngineNetworks: () => Promise<EngineNetworks>;
  /** Left out: all addresses and local routes of this machine. */
  readonly readHostAddresses?: () => Promise<readonly string[]>;
  /** TCP ports on which this host can be reached at an address; left out, those of the kernel's tables. */
  readonly readListeningPorts?: (address: string) => Promise<readonly number[]>;
  /** All addresses of a name, in the order to try them; left out, the system's resolver. */
  readonly lookup?: (name: string) => Promise<readonly string[]>;
}

/** A look at the surroundings that is at most a second old. */
export interface Sight {
  readonly defaultGateway: IpAddress | undefined;
  readonly gateways: AddressRanges;
  readonly containerNetworks: AddressRanges;
  readonly thisHost: AddressRanges;
}

const FRESH_MS = 1000;
/** An engine that has not answered by then is one that does not tell. */
const MAX_LOOK_MS = 10_000;

/** libuv gives half of its threads, 4 unless `UV_THREADPOOL_SIZE` says otherwise, to look-ups of names (uv_getaddrinfo). */
const LOOKUP_THREADS = Math.floor((Number(process.env['UV_THREADPOOL_SIZE'] ?? 4) + 1) / 2);
/**
 * Maximum number of names of a workload that the system's resolver looks up at
 * the same time. A name whose servers do not answer holds a thread for up to
 * 40 s; one is left for the names of the process itself.
 */
const MAX_LOOKUPS = Math.max(1, LOOKUP_THREADS - 1);
/** Maximum number of names that wait for a look-up. Further look-ups reject. */
const MAX_WAITING_NAMES = 1024;

interface Look {
  readonly sight: Promise<Sight>;
  readonly from: number;
  isPending: boolean;
}

/** Reads the surroundings, once for all connections of the same second. */
export class SurroundingsReader {
  readonly #surroundings: EgressSurroundings;
  readonly #nowMs: () => number;
  readonly #longestMs: number;
  readonly #lookups = new Semaphore(MAX_LOOKUPS);
  readonly #names = new Map<string, Promise<readonly string[]>>();
  #last: Look | undefined;
  /** Address of this host on the default bridge, once it is known. */
  #gateway: string | undefined;

  constructor(
    surroundings: EgressSurroundings,
    nowMs: () => number = () => performance.now(),
    longestMs = MAX_LOOK_MS,
  ) {
    this.#surroundings = surroundings;
    this.#nowMs = nowMs;
    this.#longestMs = longestMs;
  }

  /** Rejects as the engine or the system does, or when nothing answers for 10 s; a failure is not kept. */
  look(): Promise<Sight> {
    const now = this.#nowMs();
    const last = this.#last;
    // The reader sends one request at a time to a slow engine.
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
    const { readEngineNetworks, readHostAddresses: readOwn = readHostAddresses } = this.#surroundings;
    const [engine, own] = await Promise.all([readEngineNetworks(), readOwn()]);
    const { defaultGateway, gateways, subnets } = engine;
    return {
      defaultGateway: defaultGateway === undefined ? undefined : readIpAddress(defaultGateway),
      gateways: new AddressRanges(defaultGateway === undefined ? gateways : [defaultGateway, ...gateways]),
      containerNetworks: new AddressRanges(subnets),
      thisHost: new AddressRanges(own),
    };
  }

  /** Returns the TCP ports on which containers can reach this host at the address of the default bridge. */
  async listHostPorts(): Promise<readonly number[]> {
    // The engine is not asked each time: this runs every second.
    this.#gateway ??= (await this.look()).defaultGateway?.text;
    const { readListeningPorts: readPorts = readListeningPorts } = this.#surroundings;
    return this.#gateway === undefined ? [] : await readPorts(this.#gateway);
  }

  /** Returns all addresses of a name. Rejects when it has none, when nothing answers within the time, or when 1,024 names wait already. */
  async resolve(name: string, timeoutMs: number): Promise<readonly IpAddress[]> {
    const found = await within(timeoutMs, this.#names.get(name) ?? this.#lookUp(name, timeoutMs));
    const addresses = found.flatMap((text) => readIpAddress(text) ?? []);
    if (addresses.length === 0) throw new Error('no address');
    return addresses;
  }

  /** Connections that want the same name at the same time share one look-up. */
  #lookUp(name: string, timeoutMs: number): Promise<readonly string[]> {
    const found = this.#find(name, timeoutMs).finally(() => this.#names.delete(name));
    this.#names.set(name, found);
    return found;
  }

  async #find(name: string, timeoutMs: number): Promise<readonly string[]> {
    if (this.#lookups.waiting >= MAX_WAITING_NAMES) throw new Error('too many look-ups of names are waiting');
    const leave = await this.#lookups.enter(AbortSignal.timeout(timeoutMs));
    if (leave === undefined) throw new Error('no answer');
    try {
      return await (this.#surroundings.lookup ?? systemLookup)(name);
    } finally {
      leave();
    }
  }
}

/** What the promise brings, or an error when it takes longer. */
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
  const found = await lookup(name, { all: true, order: 'verbatim' });
  return found.map(({ address }) => address);
}
