import type { PackageReference } from '@portolan/plugin-api';
import { BuildCredentials } from './build-credentials.ts';
import type { BuildContext } from './build-request.ts';
import { readCertificates } from './read-certificates.ts';

export interface NewestVersionRequest {
  readonly scheme: string;
  readonly reference: Extract<PackageReference, { from: 'index' }>;
  /** Path of a PEM file of CA certificates. */
  readonly caCert: string | undefined;
}

/**
 * Looks up the newest version of a package without the cache. Throws the errors of the scheme with masked
 * credentials.
 */
export async function findNewestVersion(
  { scheme: name, reference, caCert }: NewestVersionRequest,
  context: BuildContext,
  signal: AbortSignal,
): Promise<string> {
  const { environment, home, workingDirectory } = context;
  const scheme = await context.kinds.openScheme(name);
  const caCertificates = (await readCertificates(caCert))?.pem;
  const hostContext = { environment, home, workingDirectory, caCertificates, signal };
  const credentials = BuildCredentials.of(scheme, context);
  try {
    const asking = (await credentials?.reveal(credentials.hide(hostContext))) ?? hostContext;
    return await scheme.resolveVersion({ ...reference, version: undefined, pinned: false }, asking);
  } catch (error) {
    signal.throwIfAborted();
    throw credentials === undefined ? error : await credentials.clean(error);
  }
}
