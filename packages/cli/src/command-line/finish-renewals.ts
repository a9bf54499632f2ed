import type { RegistryAccess } from '@portolan/registry-client';
import { listenForStop, SIGNAL_STATUS, type SignalSource } from '../terminal/stop-signals.ts';

export interface EndedProcess {
  readonly process: SignalSource;
  readonly end: (status: number) => unknown;
}

/**
 * Wraps access so that Ctrl-C does not interrupt a token renewal. A refresh token is valid once, so an
 * unsaved successor would force a new login. After the renewal, the command ends with the status of the
 * signal. A second signal ends it at once.
 */
export function finishRenewals(access: RegistryAccess, { process, end }: EndedProcess): RegistryAccess {
  const finished = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const stop = listenForStop(process, { signals: ['SIGINT', 'SIGTERM', 'SIGHUP'], end });
    try {
      return await work();
    } finally {
      stop.close();
      if (stop.signal.aborted) end(SIGNAL_STATUS[await stop.received]);
    }
  };
  return {
    ...access,
    token: async () => await finished(async () => await access.token()),
    renewed: async (refused) => await finished(async () => await access.renewed(refused)),
  };
}
