import { AUTH_ONLY_WARNING } from '@portolan/authorization';
import type { Kernel, KernelAuth, NextRegistries, ReloadedAuth } from '@portolan/kernel';
import { errorClassOf } from '@portolan/plugin-api';

type Reloadable = Pick<Kernel, 'auth' | 'logger' | 'reloadAuth' | 'reopen'>;

/** Logs who may do what under an `auth` that no longer identifies callers. */
type WarnOfAccess = (auth: KernelAuth) => void;

/** How it went: `later` where only something that does not answer now was in the way. */
export type Reloaded = 'taken' | 'refused' | 'later';

/**
 * What SIGHUP does: files of middleware are closed and opened again, and `auth`
 * of the configuration is taken over, if the whole of it is in order. How it went
 * is logged in one line. Asked while it runs, it runs once more afterwards, so
 * that no change is missed. The promise never rejects.
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
      return { auth, fields, message: 'auth of the configuration taken over' };
    });
  });
}

/**
 * The same for a server that watches its configuration: sources and registries
 * are taken over too, by `take`, which answers with what has changed.
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
        message: isNew ? 'the configuration is taken over' : 'the configuration says nothing new',
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
  /** Of the line that says so. */
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
    logger.error({ error }, 'the configuration was not taken over; everything stays as it was');
    return errorClassOf(error) === 'unavailable' ? 'later' : 'refused';
  }
}

function afterRestart(ignored: ReloadedAuth['ignored']): object {
  return ignored.length === 0 ? {} : { afterRestart: ignored };
}

function isAuthOnly({ config, provider }: KernelAuth): boolean {
  return provider.kind.identifies && config.authz === undefined;
}
