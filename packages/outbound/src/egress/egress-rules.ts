import type { EgressHost } from './egress-host.ts';
import { isPort, parseEgressHost } from './egress-host.ts';
import { AddressRanges } from '../ip-address.ts';
import type { IpAddress } from '../ip-address.ts';
import { allowHostInvalid, allowPortInvalid } from '../errors.ts';

export interface NetworkPermissions {
  readonly outbound?: {
    readonly insecure_allow_all?: boolean;
    readonly allow_host?: readonly string[];
    readonly allow_port?: readonly number[];
  };
}

export interface EgressRules {
  /** Whether every host and port is allowed, except what other checks refuse, such as private addresses. */
  readonly allowAll: boolean;
  /** Allowed hosts. When empty, any host is allowed on the listed ports. */
  readonly hosts: readonly HostRule[];
  readonly ports: readonly number[];
}

/** Entry of `allow_host`; `written` is its text in the profile. */
export type HostRule =
  | { readonly kind: 'name' | 'suffix'; readonly name: string; readonly written: string }
  | { readonly kind: 'range'; readonly ranges: AddressRanges; readonly written: string };

/**
 * Converts a profile's network permissions to rules. Without the network part, or with `insecure_allow_all`,
 * everything is allowed; without `outbound`, nothing. Throws ERR_PERMISSION_PROFILE for an invalid entry.
 */
export function readEgressRules(network: NetworkPermissions | undefined): EgressRules {
  const outbound = network === undefined ? { insecure_allow_all: true } : (network.outbound ?? {});
  const hosts = (outbound.allow_host ?? []).map(readHostRule);
  const ports = outbound.allow_port ?? [];
  for (const port of ports) if (!isPort(port)) throw allowPortInvalid(port);
  return { allowAll: outbound.insecure_allow_all ?? false, hosts, ports: [...new Set(ports)] };
}

/** Parses a name, `.suffix`, address or CIDR range. Throws ERR_PERMISSION_PROFILE. */
function readHostRule(written: string): HostRule {
  if (written.includes('/')) {
    try {
      return { kind: 'range', ranges: new AddressRanges([written]), written };
    } catch (cause) {
      throw allowHostInvalid(written, cause);
    }
  }
  const isSuffix = written.startsWith('.');
  const plain = isSuffix ? written.slice(1) : written;
  // IPv6 addresses have no brackets in files, and brackets in URLs.
  const host = parseEgressHost(plain) ?? parseEgressHost(`[${plain}]`);
  if (host === undefined) throw allowHostInvalid(written);
  if (host.kind === 'name') return { kind: isSuffix ? 'suffix' : 'name', name: host.text, written };
  if (isSuffix) throw allowHostInvalid(written);
  return { kind: 'range', ranges: new AddressRanges([host.text]), written };
}

/** Decision of the allow-list; `by` is the entry, `insecure_allow_all` or `allow_port`. */
export type HostDecision =
  | { readonly allowed: true; readonly by: string; readonly isListed: boolean }
  | { readonly allowed: false; readonly reason: 'nothing-allowed' | 'host-not-allowed' | 'port-not-allowed' };

/**
 * Decides about a host and port. When both hosts and ports are listed, both must match; when neither is
 * listed, nothing is allowed. `.acme.example` includes `acme.example`. Ranges match addresses, never names
 * that resolve to them.
 */
export function decideHost(rules: EgressRules, host: EgressHost, port: number): HostDecision {
  const entry = rules.hosts.find((rule) => matches(rule, host));
  if (rules.allowAll) return { allowed: true, by: 'insecure_allow_all', isListed: entry !== undefined };
  if (rules.hosts.length === 0 && rules.ports.length === 0)
    return { allowed: false, reason: 'nothing-allowed' };
  if (rules.hosts.length > 0 && entry === undefined) return { allowed: false, reason: 'host-not-allowed' };
  if (rules.ports.length > 0 && !rules.ports.includes(port))
    return { allowed: false, reason: 'port-not-allowed' };
  return { allowed: true, by: entry?.written ?? 'allow_port', isListed: entry !== undefined };
}

function matches(rule: HostRule, host: EgressHost): boolean {
  if (rule.kind === 'range') return host.kind === 'address' && rule.ranges.has(host.address);
  if (host.kind === 'address') return false;
  return host.text === rule.name || (rule.kind === 'suffix' && host.text.endsWith(`.${rule.name}`));
}

export function isNamed(rules: EgressRules, host: EgressHost): boolean {
  return rules.hosts.some((rule) => rule.kind === 'name' && rule.name === host.text);
}

export function namesAddress(rules: EgressRules, address: IpAddress): boolean {
  return rules.hosts.some((rule) => rule.kind === 'range' && rule.ranges.has(address));
}

export function listDirectPorts(rules: EgressRules): readonly number[] {
  if (rules.allowAll) return [...new Set([80, 443, ...rules.ports])];
  return rules.ports.length > 0 ? rules.ports : [80, 443];
}
