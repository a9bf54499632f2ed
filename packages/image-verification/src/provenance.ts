import { isJsonObject, memberOf, textMember } from '@portolan/run-spec';

/** Who signs an image, by its registry entry. Fields that are undefined are not compared. */
export interface Provenance {
  /** Host of the TUF repository of the trust root. */
  readonly sigstoreHost: string;
  readonly repositoryUri: string | undefined;
  readonly repositoryRef: string | undefined;
  readonly runnerEnvironment: string | undefined;
  readonly certIssuer: string | undefined;
  readonly signerIdentity: string | undefined;
  readonly attestation: ExpectedAttestation | undefined;
}

export interface ExpectedAttestation {
  readonly predicateType: string | undefined;
  /** Undefined: any. */
  readonly predicate: unknown;
}

export const PUBLIC_SIGSTORE = 'tuf-repo-cdn.sigstore.dev';

/**
 * Reads the `provenance` of a registry entry; undefined when it names nobody:
 * without a repository, and without an identity that is more than the path of a
 * workflow, the signature of anyone would do.
 */
export function parseProvenance(value: unknown): Provenance | undefined {
  if (!isJsonObject(value)) return undefined;
  const repositoryUri = textMember(value, 'repository_uri');
  const signerIdentity = textMember(value, 'signer_identity');
  if (repositoryUri === undefined && (signerIdentity === undefined || signerIdentity.startsWith('/'))) {
    return undefined;
  }
  const attestation = memberOf(value, 'attestation');
  return {
    sigstoreHost: hostOf(textMember(value, 'sigstore_url') ?? PUBLIC_SIGSTORE),
    repositoryUri,
    repositoryRef: textMember(value, 'repository_ref'),
    runnerEnvironment: textMember(value, 'runner_environment'),
    certIssuer: textMember(value, 'cert_issuer'),
    signerIdentity,
    attestation: isJsonObject(attestation)
      ? {
          predicateType: textMember(attestation, 'predicate_type'),
          predicate: memberOf(attestation, 'predicate') ?? undefined,
        }
      : undefined,
  };
}

/** Entries have the host alone, or its URL. */
function hostOf(text: string): string {
  return text.replace(/^https:\/\//, '').replace(/\/$/, '');
}
