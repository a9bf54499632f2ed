import { AUTH_ONLY_WARNING } from '@portolan/authorization';
import type { Kernel, KernelAuth, NextRegistries, ReloadedAuth } from '@portolan/kernel';
import { errorClassOf } from '@portolan/plugin-api';

type Reloadable = Pick<Kernel, 'auth' | 'logger' | 'reloadAuth' | 'reopen'>;

/** Logs a warning when a new `auth` no longer identifies callers. */
type WarnOfAccess = (auth: KernelAuth) => void;

/**
 * Result of a reload. `taken`: applied. `refused`: the configuration is invalid. `later`: a temporary failure
 * prevented it.
 */
export type Reloaded = 'taken' | 'refused' | 'later';

/**
 * Returns a function that reopens files of middleware and, if the whole configuration is valid, applies
 * `auth`. A call during a reload causes another reload afterwards, so that no change is missed. The function
 * never rejects.
 */
export function configurationReloader(
  kernel: Reloadable,
  warnOfAccess: WarnOfAccess = () => undefined,
): () => Promise<Reloaded> {
  return onceMore(async () => {
    await kernel.reopen();
    return await attempt(kernel, warnOfAccess, async () => {
      const { auth, ignored } = await kernel.reloadAuth();
      const fields = { mode: auth.config.mode, ...afterRestart(ignored) };
      return { auth, fields, message: 'applied auth of the configuration' };
    });
  });
}

/**
 * Works like `configurationReloader`, and also applies sources and registries through `take`, which returns
 * the changes.
 */
export function watchedReloader(
  kernel: Reloadable & Pick<Kernel, 'reload'>,
  take: (next: NextRegistries) => Promise<readonly string[]>,
  warnOfAccess: WarnOfAccess = () => undefined,
): () => Promise<Reloaded> {
  return onceMore(async () => {
    await kernel.reopen();
    return await attempt(kernel, warnOfAccess, async () => {
      let changes: readonly string[] = [];
      const reloaded = await kernel.reload(async (next) => {
        changes = await take(next);
      });
      const all = [...changes, ...(reloaded.isAuthChanged ? ['auth: changed'] : [])];
      const rest = afterRestart(reloaded.ignored);
      const isNew = all.length > 0;
      return {
        auth: reloaded.auth,
        fields: isNew ? { changes: all, ...rest } : rest,
        message: isNew ? 'applied the configuration' : 'the configuration is unchanged',
      };
    });
  });
}

function onceMore(reload: () => Promise<Reloaded>): () => Promise<Reloaded> {
  let running: Promise<Reloaded> | undefined;
  let next: Promise<Reloaded> | undefined;
  return () => {
    if (running !== undefined) {
      next ??= running.then(() => {
        next = undefined;
        return start();
      });
      return next;
    }
    return start();
  };

  function start(): Promise<Reloaded> {
    running = reload().finally(() => {
      running = undefined;
    });
    return running;
  }
}

interface Taken {
  readonly auth: KernelAuth;
  readonly fields: object;
  readonly message: string;
}

async function attempt(
  kernel: Reloadable,
  warnOfAccess: WarnOfAccess,
  take: () => Promise<Taken>,
): Promise<Reloaded> {
  const { logger } = kernel;
  const { identifies } = kernel.auth.provider.kind;
  const wasAuthOnly = isAuthOnly(kernel.auth);
  try {
    const { auth, fields, message } = await take();
    if (isAuthOnly(auth) && !wasAuthOnly) logger.warn({}, AUTH_ONLY_WARNING);
    if (identifies && !auth.provider.kind.identifies) warnOfAccess(auth);
    logger.info(fields, message);
    return 'taken';
  } catch (error) {
    logger.error({ error }, 'the configuration was not applied; everything stays unchanged');
    return errorClassOf(error) === 'unavailable' ? 'later' : 'refused';
  }
}

function afterRestart(ignored: ReloadedAuth['ignored']): object {
  return ignored.length === 0 ? {} : { afterRestart: ignored };
}

function isAuthOnly({ config, provider }: KernelAuth): boolean {
  return provider.kind.identifies && config.authz === undefined;
}
