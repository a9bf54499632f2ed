import { authoritiesOf, type RunConfig } from '@portolan/run-spec';
import type { WorkloadContext } from '../workload-context.ts';

/**
 * Makes this process trust only the certificates of a file. Does nothing without a file. Throws
 * ERR_NAMED_FILE and ERR_SETTING.
 */
export async function trustAuthorities(
  file: string,
  { trustOnly }: Pick<WorkloadContext, 'trustOnly'>,
): Promise<void> {
  if (file === '') return;
  const { readCertificates } = await import('./read-certificates.ts');
  const certificates = await readCertificates(file);
  if (certificates !== undefined) trustOnly(certificates.pem);
}

export async function trustAuthoritiesOf(
  config: RunConfig,
  context: Pick<WorkloadContext, 'trustOnly'>,
): Promise<void> {
  await trustAuthorities(authoritiesOf(config), context);
}
