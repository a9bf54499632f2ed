import { lookup } from 'node:dns/promises';
import { readHostAddresses } from './host-addresses.ts';
import { AddressRanges, type IpAddress, readIpAddress } from './ip-address.ts';

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

/** Reads the surroundings, once for all connections of the same second. */
export class SurroundingsReader {
  readonly #surroundings: EgressSurroundings;
  readonly #clock: () => number;
  #last: { readonly sight: Promise<Sight>; readonly from: number } | undefined;

  constructor(surroundings: EgressSurroundings, clock: () => number = Date.now) {
    this.#surroundings = surroundings;
    this.#clock = clock;
  }

  /** Rejects as the engine or the system does; a failure is not kept. */
  look(): Promise<Sight> {
    const now = this.#clock();
    const last = this.#last;
    // A clock that was set back makes the last look old.
    if (last !== undefined && now >= last.from && now - last.from < FRESH_MS) return last.sight;
    const started = { sight: this.#read(), from: now };
    this.#last = started;
    started.sight.catch(() => {
      if (this.#last === started) this.#last = undefined;
    });
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

  /** All addresses of a name; rejects when it has none, or when nothing answers within the time. */
  async resolve(name: string, timeoutMs: number): Promise<readonly IpAddress[]> {
    const { lookup: find = systemLookup } = this.#surroundings;
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error('no answer')), timeoutMs);
    try {
      const found = await Promise.race([find(name), late]);
      const addresses = found.flatMap((text) => readIpAddress(text) ?? []);
      if (addresses.length === 0) throw new Error('no address');
      return addresses;
    } finally {
      clearTimeout(timer);
    }
  }
}

async function systemLookup(name: string): Promise<readonly string[]> {
  const found = await lookup(name, { all: true, order: 'verbatim' });
  return found.map(({ address }) => address);
}
