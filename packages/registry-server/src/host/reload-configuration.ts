import { AUTH_ONLY_WARNING } from '@portolan/authorization';
import type { Kernel, KernelAuth } from '@portolan/kernel';

type Reloadable = Pick<Kernel, 'auth' | 'logger' | 'reloadAuth' | 'reopen'>;

/**
 * What SIGHUP does: files of middleware are closed and opened again, and `auth`
 * of the configuration is taken over, if the whole of it is in order. How it went
 * is logged in one line. Asked while it runs, it runs once more afterwards, so
 * that no change is missed. The promise never rejects.
 */
export function configurationReloader(kernel: Reloadable): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
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

  function start(): Promise<void> {
    running = reload(kernel).finally(() => {
      running = undefined;
    });
    return running;
  }
}

async function reload(kernel: Reloadable): Promise<void> {
  const { logger } = kernel;
  const wasAuthOnly = isAuthOnly(kernel.auth);
  await kernel.reopen();
  try {
    const { auth, ignored } = await kernel.reloadAuth();
    const { mode } = auth.config;
    if (isAuthOnly(auth) && !wasAuthOnly) logger.warn({}, AUTH_ONLY_WARNING);
    const rest = ignored.length === 0 ? {} : { afterRestart: ignored };
    logger.info({ mode, ...rest }, 'auth of the configuration taken over');
  } catch (error) {
    logger.error({ error }, 'the configuration was not taken over; everything stays as it was');
  }
}

function isAuthOnly({ config, provider }: KernelAuth): boolean {
  return provider.kind.identifies && config.authz === undefined;
}
