import type { WorkloadContext } from '@portolan/workload';
import { findOwnSecret, findSecretUsers } from '@portolan/workload/secrets';

/**
 * Warns about the workloads that use a secret. A value that a workload got from a flag takes precedence over
 * the user's secret of the same name.
 */
export async function tellUsers(
  secret: string,
  consequence: string,
  context: WorkloadContext,
  tell: (lines: readonly string[]) => void,
): Promise<void> {
  const users = await findSecretUsers(secret, context.store);
  if (users.length === 0) return;
  const hasOwn = (await findOwnSecret(secret, 'workloads', context)) !== undefined;
  tell(
    users.map((name) =>
      hasOwn
        ? `warning: workload ${name} uses the value that it got from a flag, not this one; give it another with \`portolan change ${name}\``
        : `warning: workload ${name} uses this secret; it ${consequence}`,
    ),
  );
}
