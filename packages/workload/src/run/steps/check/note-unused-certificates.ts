import { type ContainerSettings, hasNoEffect } from '@portolan/run-spec';
import type { ImageSource } from '../image-source.ts';

/**
 * What there is to say of `--ca-cert` beside an image, for which it is used for nothing; a mistake in it is one all the
 * same. A build reads it itself. Throws ERR_SETTING and ERR_NAMED_FILE.
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
