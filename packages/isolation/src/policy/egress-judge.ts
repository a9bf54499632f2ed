import type { Duplex } from 'node:stream';
import {
  type EgressHost,
  type EgressRules,
  type EgressTarget,
  type IpAddress,
  decideHost,
  isNamed,
  listDirectPorts,
  namesAddress,
  writeHost,
  type HostDecision,
} from '@portolan/outbound';
import { type AddressRefusal, refuseAddress } from './decide-address.ts';
import { dialFirst, endsHere } from './dial.ts';
import { type EgressRefusal, refuse } from './egress-event.ts';
import type { LocalResponse } from './local-responses.ts';
import { type EgressContext, type Sight, NetworkReader } from './network-reader.ts';
import { tunnelThrough } from './tunnel-through.ts';
import type { UpstreamProxies } from './upstream-proxy.ts';

export interface EgressPolicy {
  readonly rules: EgressRules;
  /**
   * Whether containers may reach this host on every port, by its container names (such as
   * `host.docker.internal`) and gateway addresses.
   */
  readonly allowContainerGateway: boolean;
  /** Whether a tunnel to port 443 may carry something other than TLS. */
  readonly allowPlainOn443?: boolean;
  readonly context: EgressContext;
  /** Default: every target is dialled directly. */
  readonly upstream?: UpstreamProxies;
  /** Map of one-time responses by host name, without a connection; see `LocalResponses`. A workload has none. */
  readonly answers?: ReadonlyMap<string, LocalResponse>;
}

export type Passage = {
  readonly allowed: true;
  readonly by: string;
} & (
  | { readonly route: 'gateway' | 'direct'; readonly addresses: readonly IpAddress[]; readonly port: number }
  /**
   * `target` contains a name only when the allow-list contains that name; otherwise it contains a checked
   * address.
   */
  | { readonly route: 'upstream'; readonly proxy: URL; readonly target: EgressTarget }
);

const GATEWAY_NAMES: readonly string[] = [
  'host.docker.internal',
  'gateway.docker.internal',
  'host.containers.internal',
];
const RESOLVE_MS = 10_000;
const DIAL_MS = 20_000;

/** Makes every decision about outgoing traffic, in one order of checks for all protocols. */
export class EgressJudge {
  readonly #policy: EgressPolicy;
  readonly #context: NetworkReader;

  constructor(policy: EgressPolicy) {
    this.#policy = policy;
    this.#context = new NetworkReader(policy.context);
  }

  /**
   * Decides about a target. `secure` selects one of the host's proxies. Never rejects: refuses an undecidable
   * target.
   */
  async decide(target: EgressTarget, secure: boolean): Promise<Passage | EgressRefusal> {
    let sight: Sight;
    try {
      sight = await this.#context.look();
    } catch {
      return refuse(
        'surroundings-unknown',
        'the container engine does not tell its networks, so nothing may leave',
      );
    }
    const { host, port } = target;
    if (isGateway(host, sight)) return this.#decideGateway(target, sight);
    const decision = decideHost(this.#policy.rules, host, port);
    if (!decision.allowed) return refuseByList(decision.reason, target);
    const proxy = this.#findProxy(target, secure);
    const addresses = await this.#resolve(host);
    if (addresses === undefined) {
      if (proxy !== undefined && decision.isListed) return through(proxy, target, decision.by);
      return refuseUnresolved(host, proxy !== undefined);
    }
    const { open, refused } = this.#sift(addresses, sight);
    const [first] = open;
    if (first === undefined) return refuseByAddress(refused, host);
    if (proxy === undefined)
      return { allowed: true, by: decision.by, route: 'direct', addresses: open, port };
    return through(proxy, decision.isListed ? target : { host: asHost(first), port }, decision.by);
  }

  /**
   * Connects to an allowed target. Returns a refusal when the connection ends at this machine. Rejects when
   * no address responds, or when aborted.
   */
  async open(passage: Passage, signal: AbortSignal): Promise<Duplex | EgressRefusal> {
    if (passage.route === 'upstream') return tunnelThrough(passage.proxy, passage.target, DIAL_MS, signal);
    const socket = await dialFirst(passage.addresses, passage.port, DIAL_MS, signal);
    if (passage.route === 'direct' && endsHere(socket)) {
      socket.destroy();
      return refuse(
        'reached-this-host',
        'the connection ended on this machine, which is not open to workloads',
      );
    }
    return socket;
  }

  /**
   * Returns the ports on which the relay opens a name, or a refusal. Names in the allow-list are not
   * resolved. Others must lead to an allowed address, so that a program learns at once that a name does not
   * exist.
   */
  async decideName(
    host: EgressHost,
  ): Promise<{ readonly by: string; readonly ports: readonly number[] } | EgressRefusal> {
    const { rules, allowContainerGateway } = this.#policy;
    if (host.kind === 'address') return refuse('host-invalid', `${host.text} is an address, not a name`);
    if (GATEWAY_NAMES.includes(host.text)) {
      if (!allowContainerGateway) return refuseGateway(host);
      return { by: 'container-gateway', ports: await this.listGatewayPorts() };
    }
    const ports = listDirectPorts(rules);
    const [port = 443] = ports; // the decision is the same for all listed ports
    const decision = decideHost(rules, host, port);
    if (!decision.allowed) return refuseByList(decision.reason, { host, port });
    if (!isNamed(rules, host)) {
      const passage = await this.decide({ host, port }, true);
      if (!passage.allowed) return passage;
    }
    return { by: decision.by, ports };
  }

  /** Returns whether a name leads to this host, whose open ports are those of its services. */
  opensHost(host: EgressHost): boolean {
    return this.#policy.allowContainerGateway && GATEWAY_NAMES.includes(host.text);
  }

  /** Returns the ports of this host by name: those of the rules, and those with a service. Never rejects. */
  async listGatewayPorts(): Promise<readonly number[]> {
    const listed = listDirectPorts(this.#policy.rules);
    try {
      return [...new Set([...listed, ...(await this.#context.listHostPorts())])];
    } catch {
      // The engine does not list its networks. Later connections are refused with that reason.
      return listed;
    }
  }

  get allowsPlainOn443(): boolean {
    return this.#policy.allowPlainOn443 ?? false;
  }

  #decideGateway({ host, port }: EgressTarget, { defaultGateway }: Sight): Passage | EgressRefusal {
    if (!this.#policy.allowContainerGateway) return refuseGateway(host);
    if (defaultGateway === undefined)
      return refuse(
        'container-gateway',
        'the container engine has no default bridge, so this host has no address there',
      );
    return { allowed: true, by: 'container-gateway', route: 'gateway', addresses: [defaultGateway], port };
  }

  #findProxy(target: EgressTarget, secure: boolean): URL | undefined {
    const { upstream } = this.#policy;
    if (upstream === undefined || upstream.isExempt(target)) return undefined;
    return secure ? upstream.secure : upstream.plain;
  }

  async #resolve(host: EgressHost): Promise<readonly IpAddress[] | undefined> {
    if (host.kind === 'address') return [host.address];
    try {
      return await this.#context.resolve(host.text, RESOLVE_MS);
    } catch {
      return undefined; // unknown name or no response: the caller reports the name
    }
  }

  #sift(
    addresses: readonly IpAddress[],
    { thisHost, gateways, containerNetworks }: Sight,
  ): { readonly open: readonly IpAddress[]; readonly refused: AddressRefusal } {
    const isOpened = (address: IpAddress): boolean => namesAddress(this.#policy.rules, address);
    const open: IpAddress[] = [];
    let refused: AddressRefusal | undefined;
    for (const address of addresses) {
      const reason = gateways.has(address)
        ? 'address-this-host'
        : refuseAddress(address, { thisHost, containerNetworks, isNamed: isOpened });
      if (reason === undefined) open.push(address);
      refused ??= reason;
    }
    return { open, refused: refused ?? 'address-special' };
  }
}

function isGateway(host: EgressHost, { gateways }: Sight): boolean {
  return host.kind === 'name' ? GATEWAY_NAMES.includes(host.text) : gateways.has(host.address);
}

function through(proxy: URL, target: EgressTarget, by: string): Passage {
  return { allowed: true, by, route: 'upstream', proxy, target };
}

function asHost(address: IpAddress): EgressHost {
  return { kind: 'address', text: address.text, address };
}

type ListReason = Extract<HostDecision, { readonly allowed: false }>['reason'];

function refuseByList(reason: ListReason, { host, port }: EgressTarget): EgressRefusal {
  const shown = writeHost(host);
  const texts: Readonly<Record<ListReason, string>> = {
    'nothing-allowed': `${shown} is refused: the permission profile lets nothing out`,
    'host-not-allowed': `${shown} is not in allow_host`,
    'port-not-allowed': `${shown}:${port} is refused: the port is not in allow_port`,
  };
  return refuse(reason, texts[reason]);
}

/** Returns a refusal whose text does not reveal the addresses of the name. */
function refuseByAddress(reason: AddressRefusal, { text }: EgressHost): EgressRefusal {
  const texts: Readonly<Record<AddressRefusal, string>> = {
    'address-special': 'an address that is never open (loopback, link-local, multicast or reserved)',
    'address-metadata': 'the metadata service of a cloud, which is never open',
    'address-this-host': 'this host, which is not open to workloads',
    'address-container-network': 'another container; its address in allow_host would open it',
  };
  return refuse(reason, `${text} leads to ${texts[reason]}`);
}

function refuseGateway({ text }: EgressHost): EgressRefusal {
  return refuse('container-gateway', `${text} is this host; --allow-container-gateway opens it`);
}

function refuseUnresolved({ text }: EgressHost, hasProxy: boolean): EgressRefusal {
  const remedy = hasProxy ? "; named in allow_host, it would go through the host's proxy" : '';
  return refuse('name-not-resolved', `${text} does not resolve${remedy}`);
}
