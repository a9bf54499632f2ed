import { UndoStack } from '@portolan/plugin-api';
import type { LoggedIn } from '../../login/logged-in.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { storeRunSecrets } from './run-secrets.ts';

export interface RunLogin {
  /**
   * Stores the login. Call this only after the run has claimed the name, because the replaced workload and
   * `portolan login` use the same secret names.
   */
  keep(signal: AbortSignal): Promise<void>;
}

/** Returns the login of a run, which `keep` stores. If the run fails, revokes the login. */
export function persistLogin(login: LoggedIn, context: WorkloadContext, undo: UndoStack): RunLogin {
  const { config, secrets } = login;
  let isStored = false;
  const stored = new UndoStack(context.logger);
  undo.push('login', async () => {
    const { takeBack } = await import('../../login/log-in-again.ts');
    // Once stored, tokens are read from the store again, because the supervisor may have renewed them.
    const held = isStored
      ? {}
      : { held: Object.fromEntries(secrets.map(({ name, value }) => [name, value])) };
    await takeBack(config, context, { unregisters: true, ...held }, AbortSignal.timeout(TAKE_BACK_MS));
    // Runs after the workload is removed, because this step deletes no secret that a workload uses.
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
