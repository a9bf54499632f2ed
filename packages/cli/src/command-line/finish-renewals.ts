import type { RegistryAccess } from '@portolan/registry-client';
import { listenForStop, SIGNAL_STATUS, type SignalSource } from '../terminal/stop-signals.ts';

export interface EndedProcess {
  /** Which signals are heard. */
  readonly process: SignalSource;
  /** Ends it. */
  readonly end: (status: number) => unknown;
}

/**
 * Access whose renewals are not torn by Ctrl-C: a refresh token is good once, and
 * what comes for it has to be stored, or somebody has to log in again. The
 * command then ends with the status of the signal; a second one ends it at once.
 */
export function finishRenewals(access: RegistryAccess, { process, end }: EndedProcess): RegistryAccess {
  const finished = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const stop = listenForStop(process, { signals: ['SIGINT', 'SIGTERM', 'SIGHUP'], end });
    try {
      return await work();
    } finally {
      stop.close();
      if (stop.signal.aborted) end(SIGNAL_STATUS[await stop.asked]);
    }
  };
  return {
    ...access,
    token: async () => await finished(async () => await access.token()),
    renewed: async (refused) => await finished(async () => await access.renewed(refused)),
  };
}
