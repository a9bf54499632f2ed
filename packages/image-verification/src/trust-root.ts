import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import type { toTrustMaterial, VerifierOptions } from '@sigstore/verify';
import { textOf } from '@portolan/run-spec';
import type { VerificationContext } from './verification-context.ts';
import { PUBLIC_SIGSTORE } from './provenance.ts';
import { githubRootUnknown, verifierUnavailable } from './errors.ts';

export type TrustedRoot = Parameters<typeof toTrustMaterial>[0];

export type FetchTrustedRoot = (host: string, signal?: AbortSignal) => Promise<TrustedRoot>;

export const GITHUB_SIGSTORE = 'tuf-repo.github.com';

/** Returns the evidence that signatures need. Throws ERR_IMAGE_VERIFIER for an unknown instance. */
export function thresholdsOf(host: string): VerifierOptions {
  switch (host) {
    case PUBLIC_SIGSTORE:
      return { ctlogThreshold: 1, tlogThreshold: 1, timestampThreshold: 1 };
    case GITHUB_SIGSTORE:
      return { ctlogThreshold: 0, tlogThreshold: 0, timestampThreshold: 1 };
    default:
      throw verifierUnavailable(
        `sigstore_url of the registry entry is ${JSON.stringify(host)}; expected ${PUBLIC_SIGSTORE} or ${GITHUB_SIGSTORE}`,
      );
  }
}

const TIMEOUT_MS = 10_000;

/** Locations of TUF repositories; tests pass their own. */
export interface TrustRootPlaces {
  readonly mirrorOf: (host: string) => string;
  /** Returns the path of a repository's first TUF root; undefined when the TUF client includes that root. */
  readonly anchorOf: (host: string) => string | undefined;
}

/**
 * Returns the default locations. The TUF client includes the first root of the public instance; for GitHub's,
 * the user provides the file.
 */
function usualPlaces({ user }: Pick<VerificationContext, 'user'>): TrustRootPlaces {
  return {
    mirrorOf: (host) => `https://${host}`,
    anchorOf: (host) => {
      if (host !== GITHUB_SIGSTORE) return undefined;
      if (user.githubTrustRoot !== undefined) return user.githubTrustRoot;
      throw githubRootUnknown(host);
    },
  };
}

/**
 * Fetches trust roots over TUF without a cache, because the client's files do not support concurrent
 * processes. Rejects with ERR_IMAGE_VERIFIER and the reason of the signal.
 */
export function trustedRootFetcher(
  context: Pick<VerificationContext, 'openCache' | 'user'>,
  places: TrustRootPlaces = usualPlaces(context),
): FetchTrustedRoot {
  return async (host, signal) => {
    signal?.throwIfAborted();
    const rootPath = places.anchorOf(host);
    const folder = await mkdtemp(path.join(await context.openCache(), 'sigstore-'));
    const fetching = fetchInto(folder, places.mirrorOf(host), rootPath).finally(() =>
      rm(folder, { recursive: true, force: true }),
    );
    try {
      return await orAborted(fetching, signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw verifierUnavailable(`the trust root of ${host} cannot be fetched: ${reasonsOf(error)}`, error);
    }
  };
}

async function fetchInto(
  folder: string,
  mirrorURL: string,
  rootPath: string | undefined,
): Promise<TrustedRoot> {
  const { getTrustedRoot } = await import('@sigstore/tuf');
  return await getTrustedRoot({
    mirrorURL,
    cachePath: folder,
    timeout: TIMEOUT_MS,
    retry: { retries: 1 },
    ...(rootPath === undefined ? {} : { rootPath }),
  });
}

/** Races a promise against the signal, which the TUF client does not support. */
async function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return await promise;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function reasonsOf(error: unknown): string {
  const reasons: string[] = [];
  for (let inner = error; inner instanceof Error; inner = inner.cause) reasons.push(textOf(inner));
  return reasons.length === 0 ? String(error) : [...new Set(reasons)].join(': ');
}
