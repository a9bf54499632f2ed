import type { IdleSupervisor } from '@portolan/workload';
import { placeOfUser } from '../context/place-of-user.ts';

/** Starts a process that will supervise and has no order yet. Undefined when it cannot be started. */
export async function openIdleSupervisor(
  program: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<IdleSupervisor | undefined> {
  const { directoriesOf, startIdleSupervisor } = await import('@portolan/workload');
  const { logs } = directoriesOf(placeOfUser(environment));
  try {
    return await startIdleSupervisor({ program, environment, logs });
  } catch {
    return undefined;
  }
}
