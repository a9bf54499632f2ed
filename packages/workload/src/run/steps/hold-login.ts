import { UndoStack } from '@portolan/plugin-api';
import type { LoggedIn } from '../../login/logged-in.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { storeRunSecrets } from './run-secrets.ts';

/** A login of a run, whose tokens and client go back when the run fails. */
export interface RunLogin {
  /**
   * Stores what it has brought, with the run config that belongs to it. Only once
   * the name is this run's: a workload that makes room, another run and a `portolan
   * login` at the same time store under the same names.
   */
  keep(signal: AbortSignal): Promise<void>;
}

/** Sees to it that a login is taken back when the run fails. */
export function holdLogin(login: LoggedIn, context: WorkloadContext, undo: UndoStack): RunLogin {
  const { config, secrets } = login;
  let isStored = false;
  const stored = new UndoStack(context.logger);
  undo.push('login', async () => {
    const { takeBack } = await import('../../login/log-in-again.ts');
    // Whoever kept it good meanwhile has stored newer tokens.
    const held = isStored
      ? {}
      : { held: Object.fromEntries(secrets.map(({ name, value }) => [name, value])) };
    await takeBack(config, context, { unregisters: true, ...held }, AbortSignal.timeout(TAKE_BACK_MS));
    // Secrets of a workload that is there stay: this comes after it is gone, as it was begun before.
    await stored.run();
  });
  return {
    keep: async (signal) => {
      const { withLoginLock } = await import('../../login/login-marker.ts');
      const store = async (): Promise<void> => {
        await storeRunSecrets(secrets, context, stored, signal);
        await context.store.replaceConfig(config);
      };
      await withLoginLock(config.name, context.directories, store, signal);
      isStored = true;
    },
  };
}

const TAKE_BACK_MS = 15_000;
