import type { FetchOptions, OpenFetch, PluginContext, Source } from '@portolan/plugin-api';
import { openFetch } from '@portolan/outbound';
import type { ReachLimits } from './reach-limits.ts';

export interface LimitedContext {
  readonly context: PluginContext;
  /** Closes its connections. */
  close(): Promise<void>;
}

/** A context whose fetch reaches only what the limits allow, redirects included. */
export async function openLimitedContext(
  context: PluginContext,
  limits: ReachLimits,
): Promise<LimitedContext> {
  const open = async ({ ca, allowPrivateAddresses }: FetchOptions): Promise<OpenFetch> =>
    await openFetch(
      {
        // Without `environment`: where a proxy resolves the names, nobody here sees what they lead to.
        allowPrivateAddresses: allowPrivateAddresses && limits.allowPrivateAddresses,
        ...(ca === undefined ? {} : { ca }),
      },
      { allowsHost: (hostname) => limits.allowsHost(hostname) },
    );
  const opened = await open({ allowPrivateAddresses: true });
  return {
    context: { ...context, fetch: opened.fetch, openFetch: open },
    close: async () => await opened.close(),
  };
}

/**
 * The source, asking `check` before every read, since links may lead elsewhere by
 * then, and closing what was opened for it.
 */
export function guardSource(source: Source, check: () => Promise<void>, close: () => Promise<void>): Source {
  return {
    async *readEntries(signal) {
      await check();
      yield* source.readEntries(signal);
    },
    ...(source.fingerprint === undefined
      ? {}
      : { fingerprint: guarded(source.fingerprint.bind(source), check) }),
    ...(source.watch === undefined ? {} : { watch: source.watch.bind(source) }),
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
  return async (signal) => {
    await check();
    return await fingerprint(signal);
  };
}
