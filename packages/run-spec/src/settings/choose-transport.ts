import { parseChoice } from '../run-config/checks/check-values.ts';
import { PROXY_MODES, type ProxyMode } from '../run-config/choices.ts';
import type { Carries, KnownTransports } from '../run-config/transports.ts';
import type { Setting } from './setting.ts';

/** What transport and target port are decided by. Undefined is: not named. */
export interface TransportFacts {
  readonly target: 'image' | 'scheme' | 'url';
  readonly transports: KnownTransports;
  readonly flag: string | undefined;
  readonly registry: string | undefined;
  readonly targetPortFlag: number | undefined;
  readonly targetPathFlag: string | undefined;
  /** Ports that the image exposes (TCP); undefined while the image is not known. */
  readonly exposedPorts: readonly number[] | undefined;
  readonly url: URL | undefined;
}

/**
 * The transport: flag, registry, then a rule by what is run. Undefined when the
 * rule has to see an image that is not known yet. Throws ERR_SETTING for a flag
 * or an entry that names no transport.
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

/** Port the server listens on in the container. */
export interface TargetPortFacts {
  readonly carries: Carries;
  readonly flag: number | undefined;
  readonly registry: number | undefined;
  readonly exposedPorts: readonly number[];
  /** Chooses a free one. */
  readonly freePort: number;
}

/** Undefined for messages over standard streams, which need none. */
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
 * What the proxy speaks to clients: in front of messages as asked for, else what
 * the transport speaks. Throws ERR_SETTING.
 */
export function chooseProxyMode(
  transport: string,
  carries: Carries,
  flag: string | undefined,
): Setting<ProxyMode> {
  const asked = flag === undefined ? undefined : parseChoice(flag, '--proxy-mode', PROXY_MODES);
  if (carries === 'http') {
    const value = transport === 'sse' ? 'sse' : 'streamable-http';
    return { value, from: 'rule', by: `the transport is ${transport}` };
  }
  return asked === undefined
    ? { value: 'streamable-http', from: 'default', by: 'built in' }
    : { value: asked, from: 'flag', by: '--proxy-mode' };
}

/** The name of a transport that there is; all in small letters as it stands, or all in capitals. Throws ERR_SETTING. */
export function requireTransport(text: string, place: string, transports: KnownTransports): string {
  return parseChoice(text, place, [...transports.keys()]);
}
