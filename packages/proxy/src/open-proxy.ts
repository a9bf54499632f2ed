import { setTimeout as pass } from 'node:timers/promises';
import { createProxyApp } from './app.ts';
import { openBridge, openStreamable } from './bridge/open-bridge.ts';
import { openTranslatedHttp } from './outgoing/open-translated-http.ts';
import { clientPathOf } from './request/client-path.ts';
import { type Counts, createCounts } from './request/counts.ts';
import { checkForwardedHeader } from './request/forward-headers.ts';
import { sessionsNotStored } from './errors/session-errors.ts';
import { type Listener, openListener } from './listen/open-listener.ts';
import { ownPathsOf } from './steps/own-paths.ts';
import { createPolicy } from './policy/policy.ts';
import { PROXY_LIMITS } from './request/proxy-limits.ts';
import type { ProxyOptions } from './request/proxy-options.ts';
import type { Service, ServiceStats } from './request/service.ts';
import type { ServiceParts } from './policy/service-parts.ts';
import { openTransparent } from './transparent/open-transparent.ts';

export interface OpenProxy {
  /** URL for clients with its path. All interfaces are shown as 127.0.0.1. */
  readonly url: string;
  readonly port: number;
  readonly stats: ProxyStats;
  /** Notifies the clients that all lists may have changed, for example after an approval. */
  announceListChanges(): void;
  /**
   * Stops accepting requests, gives pending ones a grace period, and responds to the rest with 503.
   * Idempotent.
   */
  close(): Promise<void>;
}

export type ProxyStats = ServiceStats & Readonly<Counts>;

const LOOK_MS = 20;

/**
 * Throws ERR_PROXY_PORT_IN_USE, ERR_ADDRESS_UNUSABLE, ERR_PROXY_MIDDLEWARE, ERR_SESSION_INVALID and the
 * errors of `checkForwardedHeader`, after closing everything.
 */
export async function openProxy(options: ProxyOptions): Promise<OpenProxy> {
  const { backend, host = '127.0.0.1', port = 0 } = options;
  const limits = { ...PROXY_LIMITS, ...options.limits };
  const counts = createCounts();
  if (backend.carries === 'http') backend.forwardHeaders?.forEach(checkForwardedHeader);
  if (options.sessionStore !== undefined) requireKeptSessions(options);
  const policy = createPolicy(options.middleware, options.logger);
  const servedPaths = policy === undefined ? [] : ownPathsOf(policy, options.clock);
  let isClosing = false;
  // First, so that a port in use does not start a process.
  const service = Promise.withResolvers<Service>();
  let handle: ReturnType<ReturnType<typeof createProxyApp>['callback']> | undefined;
  const listener = await openListener({
    host,
    port,
    limits: limits.listener,
    logger: options.logger,
    handle: async (request, response) => {
      if (handle === undefined) await service.promise;
      await handle?.(request, response);
    },
  });
  const opened = await openService(options, { limits, counts, policy }, listener);
  handle = createProxyApp({
    options,
    service: opened,
    policy,
    servedPaths,
    isClosing: () => isClosing,
    bodyBytes: limits.bodyBytes,
  }).callback();
  service.resolve(opened);
  const close = async (): Promise<void> => {
    isClosing = true;
    listener.stop();
    await settle(opened, limits.graceMs);
    await opened.close();
    await listener.close();
  };
  let closing: Promise<void> | undefined;
  return {
    url: `http://${shownHost(host)}:${listener.port}${clientPathOf(backend)}`,
    port: listener.port,
    get stats() {
      return { ...opened.stats, ...counts };
    },
    announceListChanges: () => {
      if (!isClosing) opened.announceListChanges();
    },
    close: () => (closing ??= close()),
  };
}

/**
 * Throws ERR_SESSION_INVALID for a session store with a server that cannot use one, because it would have no
 * effect.
 */
function requireKeptSessions({ backend, isStateless = false }: ProxyOptions): void {
  if (backend.carries === 'messages') throw sessionsNotStored('a server on standard input and output');
  if (backend.transport === 'sse') throw sessionsNotStored('a server that speaks HTTP+SSE');
  if (backend.translatesEras === true) throw sessionsNotStored('a server with --translate-eras');
  if (isStateless) throw sessionsNotStored('a server without sessions (--stateless)');
}

async function openService(options: ProxyOptions, parts: ServiceParts, listener: Listener): Promise<Service> {
  const { backend } = options;
  try {
    if (backend.carries === 'messages') return openBridge(backend, options, parts);
    return backend.translatesEras === true
      ? await openTranslatedHttp(backend, options, {
          connectMs: parts.limits.connectMs,
          openBridge: (messages, path) => openStreamable(messages, options, parts, path),
        })
      : await openTransparent(backend, options, parts);
  } catch (error) {
    await listener.close();
    throw error;
  }
}

/** Waits until no request waits for the server, at most `graceMs`. */
async function settle(service: Service, graceMs: number): Promise<void> {
  const deadline = performance.now() + graceMs;
  while (service.stats.waiting > 0 && performance.now() < deadline) await pass(LOOK_MS);
}

function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::' || host === 'localhost') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
