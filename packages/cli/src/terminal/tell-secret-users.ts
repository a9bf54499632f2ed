import type { WorkloadContext } from '@portolan/workload';
import { findSecretUsers } from '@portolan/workload/secrets';

export async function tellUsers(
  secret: string,
  consequence: string,
  context: Pick<WorkloadContext, 'store'>,
  tell: (lines: readonly string[]) => void,
): Promise<void> {
  const users = await findSecretUsers(secret, context.store);
  tell(users.map((name) => `warning: workload ${name} uses this secret; it ${consequence}`));
}
