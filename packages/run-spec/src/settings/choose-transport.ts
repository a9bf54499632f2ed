import { parseChoice } from '../run-config/checks/check-values.ts';
import { PROXY_MODES, type ProxyMode } from '../run-config/choices.ts';
import type { Carries, KnownTransports } from '../run-config/transports.ts';
import type { Setting } from './setting.ts';

/** Inputs that determine transport and target port. Undefined means not specified. */
export interface TransportFacts {
  readonly target: 'image' | 'scheme' | 'url';
  readonly transports: KnownTransports;
  readonly flag: string | undefined;
  readonly registry: string | undefined;
  readonly targetPortFlag: number | undefined;
  readonly targetPathFlag: string | undefined;
  /** TCP ports that the image exposes; undefined when the image has not been inspected. */
  readonly exposedPorts: readonly number[] | undefined;
  readonly url: URL | undefined;
}

/**
 * Returns the transport of the flag, else of the registry entry, else by a rule for the target. Undefined
 * when the rule needs an image that was not inspected. Throws ERR_SETTING.
 */
export function chooseTransport(facts: TransportFacts): Setting<string> | undefined {
  const { target, flag, registry, url, transports } = facts;
  if (flag !== undefined) {
    return { value: requireTransport(flag, '--transport', transports), from: 'flag', by: '--transport' };
  }
  if (registry !== undefined) {
    const by = 'transport of the entry';
    return { value: requireTransport(registry, by, transports), from: 'registry', by };
  }
  if (target === 'scheme') {
    return { value: 'stdio', from: 'rule', by: 'packages speak stdio when nothing else is said' };
  }
  if (target === 'url') {
    return isSsePath(url?.pathname)
      ? { value: 'sse', from: 'rule', by: 'the path of the URL ends in /sse' }
      : { value: 'streamable-http', from: 'rule', by: 'the path of the URL does not end in /sse' };
  }
  return transportOfImage(facts);
}

function transportOfImage(facts: TransportFacts): Setting<string> | undefined {
  if (facts.targetPathFlag !== undefined && isSsePath(facts.targetPathFlag)) {
    return { value: 'sse', from: 'rule', by: '--target-path ends in /sse' };
  }
  if (facts.targetPortFlag !== undefined || facts.targetPathFlag !== undefined) {
    const flag = facts.targetPortFlag === undefined ? '--target-path' : '--target-port';
    return { value: 'streamable-http', from: 'rule', by: `${flag} is given` };
  }
  if (facts.exposedPorts === undefined) return undefined;
  const [port, ...more] = facts.exposedPorts;
  if (port !== undefined && more.length === 0) {
    return { value: 'streamable-http', from: 'rule', by: `the image exposes exactly one port, ${port}` };
  }
  const count = port === undefined ? 'no port' : `${more.length + 1} ports`;
  return { value: 'stdio', from: 'rule', by: `the image exposes ${count}` };
}

function isSsePath(path: string | undefined): boolean {
  return path !== undefined && /\/sse\/?$/.test(path);
}

export interface TargetPortFacts {
  readonly carries: Carries;
  readonly flag: number | undefined;
  readonly registry: number | undefined;
  readonly exposedPorts: readonly number[];
  readonly freePort: number;
}

/** Returns the port of the server; undefined for a server on standard streams, which needs none. */
export function chooseTargetPort(facts: TargetPortFacts): Setting<number> | undefined {
  const { carries, flag, registry, exposedPorts, freePort } = facts;
  if (carries === 'messages') return undefined;
  if (flag !== undefined) return { value: flag, from: 'flag', by: '--target-port' };
  if (registry !== undefined) return { value: registry, from: 'registry', by: 'transport of the entry' };
  const [exposed, ...more] = exposedPorts;
  if (exposed !== undefined && more.length === 0) {
    return { value: exposed, from: 'image', by: 'the only port that the image exposes' };
  }
  return { value: freePort, from: 'rule', by: 'a free port that the server is told' };
}

/**
 * Returns the transport that the proxy offers: the requested one for a stdio server, otherwise the server's
 * own. Throws ERR_SETTING.
 */
export function chooseProxyMode(
  transport: string,
  carries: Carries,
  flag: string | undefined,
): Setting<ProxyMode> {
  const proxyMode = flag === undefined ? undefined : parseChoice(flag, '--proxy-mode', PROXY_MODES);
  if (carries === 'http') {
    const value = transport === 'sse' ? 'sse' : 'streamable-http';
    return { value, from: 'rule', by: `the transport is ${transport}` };
  }
  return proxyMode === undefined
    ? { value: 'streamable-http', from: 'default', by: 'built in' }
    : { value: proxyMode, from: 'flag', by: '--proxy-mode' };
}

/** Parses the name of a known transport, also in upper case. Throws ERR_SETTING. */
export function requireTransport(text: string, place: string, transports: KnownTransports): string {
  return parseChoice(text, place, [...transports.keys()]);
}
