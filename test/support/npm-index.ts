import { skipSuite } from './skip-suite.ts';
import type { WorkloadUser } from './workload-user.ts';

/** Skips the suite of the hook, with the reason, if the npm index of this machine is unreachable. */
export async function requireNpmIndex(
  hook: Mocha.Context,
  user: WorkloadUser,
  target: string,
): Promise<void> {
  const { status, stdout, stderr } = await user.portolan(['plan', target, '--format', 'json']);
  const isAway =
    status === 0 ? /could not be looked up \(/.test(stdout) : /^error: Cannot ask https?:/m.test(stderr);
  if (isAway) skipSuite(hook, 'the index of npm is not reached');
}
