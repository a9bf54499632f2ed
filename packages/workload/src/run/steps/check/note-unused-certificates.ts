import { type ContainerSettings, hasNoEffect } from '@portolan/run-spec';
import type { ImageSource } from '../image-source.ts';

/**
 * Returns a note that `--ca-cert` has no effect, because the run uses a finished image. Checks the
 * certificate file nevertheless. Throws ERR_SETTING and ERR_NAMED_FILE.
 */
export async function noteUnusedCertificates(
  source: ImageSource | undefined,
  container: ContainerSettings | undefined,
): Promise<readonly string[]> {
  if (source?.form !== 'image' || container?.caCert.from !== 'flag') return [];
  const { readCertificates } = await import('../../../build/read-certificates.ts');
  await readCertificates(container.caCert.value);
  return [hasNoEffect('--ca-cert', 'an image is run as it is, and only packages are built')];
}
