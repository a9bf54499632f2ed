import type { IdleSupervisor } from '@portolan/workload';
import { homedir, tmpdir } from 'node:os';

/** Starts a process that will supervise and has no order yet. Undefined when it cannot be started. */
export async function openIdleSupervisor(
  program: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<IdleSupervisor | undefined> {
  const { directoriesOf, startIdleSupervisor } = await import('@portolan/workload');
  const { logs } = directoriesOf({
    platform: process.platform,
    environment,
    home: homedir(),
    temporary: tmpdir(),
    userId: process.getuid?.(),
  });
  try {
    return await startIdleSupervisor({ program, environment, logs });
  } catch {
    return undefined;
  }
}
