import { authoritiesOf, type RunConfig } from '@portolan/run-spec';
import type { WorkloadContext } from '../workload-context.ts';

/**
 * Lets this process trust the certificates of a file, of `--cli-ca-bundle`, and no
 * others; nothing happens where none is named. Throws ERR_NAMED_FILE and
 * ERR_SETTING.
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

/** Those that a run config names. Throws as `trustAuthorities`. */
export async function trustAuthoritiesOf(
  config: RunConfig,
  context: Pick<WorkloadContext, 'trustOnly'>,
): Promise<void> {
  await trustAuthorities(authoritiesOf(config), context);
}
