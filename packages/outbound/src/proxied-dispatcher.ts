import type { Dispatcher } from 'undici';
import { Agent, ProxyAgent } from './http-client.ts';
import type { FindProxy } from './host-proxies.ts';
import type { TlsRules } from './tls-rules.ts';

export interface ProxiedOptions {
  readonly tls: TlsRules;
  /** Returns why a host is forbidden, also through a proxy; undefined for an allowed host. */
  readonly refusalOf: (target: URL) => Error | undefined;
}

export interface ProxiedDispatcher {
  readonly dispatcher: Dispatcher;
  /** Closes connections through proxies; the owner closes the direct agent. */
  destroy(): Promise<void>;
}

export function openProxied(
  direct: Agent,
  findProxy: FindProxy,
  { tls, refusalOf }: ProxiedOptions,
): ProxiedDispatcher {
  const agents = new Map<string, ProxyAgent>();
  const agentOf = (proxy: URL): ProxyAgent => {
    const known = agents.get(proxy.href);
    if (known !== undefined) return known;
    const made = new ProxyAgent({
      uri: proxy.href,
      connectTimeout: CONNECT_TIMEOUT_MS,
      requestTls: { ...tls, allowH2: false },
      // Verify the certificate of the proxy as well, because an impostor would see the traffic to servers.
      proxyTls: tls.secureContext === undefined ? {} : { secureContext: tls.secureContext },
    });
    agents.set(proxy.href, made);
    return made;
  };
  const dispatcher = direct.compose((dispatch) => (options, handler) => {
    const target = new URL(options.origin ?? '');
    const proxy = findProxy(target);
    if (proxy === undefined) return dispatch(options, handler);
    const refusal = refusalOf(target);
    if (refusal !== undefined) throw refusal;
    return agentOf(proxy).dispatch(options, handler);
  });
  return {
    dispatcher,
    destroy: async () => void (await Promise.all([...agents.values()].map((agent) => agent.destroy()))),
  };
}

const CONNECT_TIMEOUT_MS = 10_000;
