import { readRunning } from '@portolan/workload/lock';
import { openWorkloadContext } from '../context/open-workload-context.ts';
import type { WorkloadDefinitions } from '../publish/add-definitions.ts';
import { definitionsOfWorkload } from '../publish/definitions-of-workload.ts';
import { listenForStop, SIGNAL_STATUS } from '../terminal/stop-signals.ts';
import { processEnd } from './process-end.ts';

/**
 * Reads the definitions of a running workload as its server sends them, before its policies. Starts nothing. A stop
 * signal ends the process after the files of the request are removed. Throws ERR_WORKLOAD_UNKNOWN,
 * ERR_WORKLOAD_NOT_RUNNING, ERR_STATE_BUSY and ERR_DEFINITIONS_UNREADABLE.
 */
export async function readWorkloadDefinitions(
  workload: string,
  { version, debug }: { readonly version: string; readonly debug: boolean },
): Promise<WorkloadDefinitions> {
  const { env: environment } = process;
  const end = (status: number): never => processEnd.end(status);
  const stop = listenForStop(process, { signals: ['SIGINT', 'SIGTERM', 'SIGHUP'], end });
  const configFile = environment['PORTOLAN_CONFIG'] || undefined;
  const context = await openWorkloadContext({ environment, debug, configFile, version, settings: 'wanted' });
  try {
    return definitionsOfWorkload(workload, await readRunning(workload, context, stop.signal));
  } catch (error) {
    if (stop.signal.aborted) end(SIGNAL_STATUS[await stop.received]);
    throw error;
  } finally {
    await context.close();
    stop.close();
  }
}
