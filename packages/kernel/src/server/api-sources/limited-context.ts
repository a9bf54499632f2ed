import type { FetchOptions, OpenFetch, PluginContext, Source } from '@portolan/plugin-api';
import { findOpenRoute, openFetch } from '@portolan/outbound';
import type { ReachLimits } from './reach-limits.ts';

export interface LimitedContext {
  readonly context: PluginContext;
  close(): Promise<void>;
}

/**
 * Opens a plugin context whose `fetch` and connections reach only hosts that the limits allow, also after
 * redirects.
 */
export async function openLimitedContext(
  context: PluginContext,
  limits: ReachLimits,
): Promise<LimitedContext> {
  const hosts = { allowsHost: (hostname: string) => limits.allowsHost(hostname) };
  const open = async ({ ca, allowPrivateAddresses, loopbackFor }: FetchOptions): Promise<OpenFetch> =>
    await openFetch(
      {
        // Passes no `environment`, so proxies are not used: a proxy resolves names itself, and this process
        // could not check their addresses.
        allowPrivateAddresses: allowPrivateAddresses && limits.allowPrivateAddresses,
        ...(ca === undefined ? {} : { ca }),
        // `loopbackFor` can only narrow the limits: an address from the API never counts as an address of the
        // configuration file.
        ...(limits.allowPrivateAddresses && loopbackFor !== undefined ? { loopbackFor } : {}),
      },
      hosts,
    );
  const opened = await open({ allowPrivateAddresses: true });
  return {
    context: {
      ...context,
      fetch: opened.fetch,
      openFetch: open,
      findRoute: findOpenRoute(limits, hosts),
      trustsLoopback: false,
    },
    close: async () => await opened.close(),
  };
}

/**
 * Runs `check` before every read and watch, because symbolic links may have changed. Calls `close` when the
 * source is closed.
 */
export function guardSource(source: Source, check: () => Promise<void>, close: () => Promise<void>): Source {
  return {
    async *readEntries(signal, context) {
      await check();
      yield* source.readEntries(signal, context);
    },
    ...(source.readChanges === undefined
      ? {}
      : { readChanges: guardedChanges(source.readChanges.bind(source), check) }),
    ...(source.fullReadEveryMs === undefined ? {} : { fullReadEveryMs: source.fullReadEveryMs }),
    ...(source.fingerprint === undefined
      ? {}
      : { fingerprint: guarded(source.fingerprint.bind(source), check) }),
    ...(source.watch === undefined ? {} : { watch: guardedWatch(source.watch.bind(source), check) }),
    close: async () => {
      try {
        await source.close?.();
      } finally {
        await close();
      }
    },
  };
}

function guarded(
  fingerprint: NonNullable<Source['fingerprint']>,
  check: () => Promise<void>,
): NonNullable<Source['fingerprint']> {
  return async (signal, context) => {
    await check();
    return await fingerprint(signal, context);
  };
}

function guardedChanges(
  readChanges: NonNullable<Source['readChanges']>,
  check: () => Promise<void>,
): NonNullable<Source['readChanges']> {
  return async function* (since, signal, context) {
    await check();
    yield* readChanges(since, signal, context);
  };
}

function guardedWatch(
  watch: NonNullable<Source['watch']>,
  check: () => Promise<void>,
): NonNullable<Source['watch']> {
  return async function* (signal) {
    await check();
    yield* watch(signal);
  };
}
