import type { PackageReference, Scheme, SchemeOptions } from '@portolan/plugin-api';
import { BuildCredentials } from './build-credentials.ts';
import type { BuildContext } from './build-request.ts';
import { readCertificates } from './read-certificates.ts';

export interface IndexRequest {
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
  request: IndexRequest,
  context: BuildContext,
  signal: AbortSignal,
): Promise<string> {
  const unversioned = { ...request.reference, version: undefined, pinned: false };
  return await askScheme(
    request,
    context,
    async (scheme, options) => await scheme.resolveVersion(unversioned, options),
    signal,
  );
}

/**
 * Looks up the hash of an exact version of a package. Undefined if its index or its scheme has none. Throws the errors
 * of the scheme with masked credentials.
 */
export async function findIntegrity(
  request: IndexRequest,
  context: BuildContext,
  signal: AbortSignal,
): Promise<string | undefined> {
  return await askScheme(
    request,
    context,
    async (scheme, options) => await scheme.findIntegrity?.(request.reference, options),
    signal,
  );
}

async function askScheme<Result>(
  { scheme: name, caCert }: IndexRequest,
  context: BuildContext,
  ask: (scheme: Scheme, options: SchemeOptions) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const { environment, home, workingDirectory } = context;
  const scheme = await context.kinds.openScheme(name);
  const caCertificates = (await readCertificates(caCert))?.pem;
  const hostContext = { environment, home, workingDirectory, caCertificates, signal };
  const credentials = BuildCredentials.of(scheme, context);
  try {
    const asking = (await credentials?.reveal(credentials.hide(hostContext))) ?? hostContext;
    return await ask(scheme, asking);
  } catch (error) {
    signal.throwIfAborted();
    throw credentials === undefined ? error : await credentials.clean(error);
  }
}
