import type { LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import type { FetchOptions, OpenFetch } from '@portolan/plugin-api';
import type { buildConnector, RequestInfo as UndiciInput, RequestInit as UndiciInit } from 'undici';
import { type AddressRules, lookUpOpen, refusalOf, rulesByOrigin, USUAL } from './address-rules.ts';
import { fetchClosed } from './errors.ts';
import { readHostProxies } from './host-proxies.ts';
import { tlsOf } from './tls-rules.ts';

/**
 * Opens a `fetch` with its own connections (`PluginContext.openFetch`). It refuses private addresses, unless
 * allowed, on connection: after name resolution, in every spelling, and for every redirect; of several
 * addresses it tries only the public ones. `ca` is trusted in addition to the default roots. A proxy of
 * `environment` is always allowed.
 *
 * The fetch rejects with ERR_ADDRESS_FORBIDDEN, and with ERR_FETCH_CLOSED after `close`, which ends requests
 * in progress. Throws ERR_AUTHORITIES_INVALID for a `ca` without a valid certificate, ERR_NAMED_FILE and
 * ERR_PROXY_INVALID.
 */
export async function openFetch(
  options: FetchOptions,
  value: Partial<AddressRules> = {},
): Promise<OpenFetch> {
  const rules = { ...USUAL, ...value };
  const tls = await tlsOf(options);
  const proxies = readHostProxies(options.environment ?? {});
  // Loaded here, so that only users of the client wait for it.
  const { Agent, buildConnector, fetch } = await import('./http-client.ts');
  const rulesOf = rulesByOrigin(options, rules);
  const connectBy = (applied: AddressRules) =>
    buildConnector({ allowH2: false, timeout: CONNECT_TIMEOUT_MS, lookup: publicOnly(applied), ...tls });
  const agent = new Agent({ connect: refusingLiterals(connectBy, rulesOf) });
  const ways =
    proxies === undefined
      ? undefined
      : (await import('./proxied-dispatcher.ts')).openProxied(agent, proxies, {
          tls,
          refusalOf: ({ origin, hostname }) => refusalOf(hostname, rulesOf(origin)),
        });
  let closed = false;
  return {
    fetch: async (input, init) => {
      if (closed) throw fetchClosed();
      try {
        const [target, settings] = toUndici(input, init);
        return await fetch(target, { ...settings, dispatcher: ways?.dispatcher ?? agent });
      } catch (error) {
        throw closed ? fetchClosed(error) : (forbiddenIn(error) ?? error);
      }
    },
    close: async () => {
      closed = true;
      await Promise.all([agent.destroy(), ways?.destroy()]);
    },
  };
}

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Returns a connector that refuses forbidden literal addresses. `lookup` is not called for them; all their
 * spellings arrive here normalized.
 */
function refusingLiterals(
  connectBy: (rules: AddressRules) => buildConnector.connector,
  rulesOf: (origin: string) => AddressRules,
): buildConnector.connector {
  const connectors = new Map<AddressRules, buildConnector.connector>();
  return (options, callback) => {
    const { protocol, hostname, port } = options;
    const rules = rulesOf(originOf(protocol, hostname, port));
    const refusal = refusalOf(hostname, rules);
    if (refusal !== undefined) return callback(refusal, null);
    const connect = connectors.get(rules) ?? connectBy(rules);
    connectors.set(rules, connect);
    return connect(options, callback);
  };
}

function originOf(protocol: string, hostname: string, port: string): string {
  const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
  return URL.parse(`${protocol}//${host}${port === '' ? '' : `:${port}`}`)?.origin ?? '';
}

/** Returns a lookup of public addresses only, which fails when there are none. */
function publicOnly(rules: AddressRules): LookupFunction {
  const find = callbackify(async (hostname: string, { family, hints }: LookupOptions) =>
    lookUpOpen(hostname, rules, {
      ...(typeof family === 'number' ? { family } : {}),
      ...(hints === undefined ? {} : { hints }),
    }),
  );
  return (hostname, options, callback) => {
    find(hostname, options, (error, addresses) => {
      if (error !== null) callback(error, []);
      else if (options.all === true) callback(null, [...addresses]);
      else callback(null, addresses[0].address, addresses[0].family);
    });
  };
}

/** Converts arguments for undici, which does not accept the global classes `Request` and `FormData`. */
function toUndici(
  input: string | URL | Request,
  init: RequestInit | undefined,
): readonly [UndiciInput, UndiciInit] {
  if (!(input instanceof Request) && !(init?.body instanceof FormData)) {
    // SAFETY: the other inputs are strings, URLs and plain values, or objects of which both implementations
    // only use the common methods.
    return [input, (init ?? {}) as unknown as UndiciInit];
  }
  const request = new Request(input, init);
  const { method, body, redirect, signal } = request;
  // SAFETY: as above; both accept the platform's stream as a body.
  const settings = { method, headers: [...request.headers], redirect, signal } as UndiciInit;
  return [
    request.url,
    body === null ? settings : { ...settings, body: body as ReadableStream, duplex: 'half' },
  ];
}

/**
 * Returns the ERR_ADDRESS_FORBIDDEN inside a thrown error. fetch wraps it, more than once for several
 * addresses.
 */
function forbiddenIn(error: unknown): unknown {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    if ('code' in inner && inner.code === 'ERR_ADDRESS_FORBIDDEN') return inner;
  }
  return undefined;
}
