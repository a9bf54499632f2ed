import { isJsonObject, memberOf, textMember } from '@portolan/run-spec';

/** Signer of an image by its registry entry. Undefined fields are not compared. */
export interface Provenance {
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
  readonly predicate: unknown;
}

export const PUBLIC_SIGSTORE = 'tuf-repo-cdn.sigstore.dev';

/**
 * Returns undefined for a `provenance` that identifies no signer: without a repository, and with only a
 * workflow path as identity, anyone's signature would match.
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

/** Returns the host; entries contain a host or a URL. */
function hostOf(text: string): string {
  return text.replace(/^https:\/\//, '').replace(/\/$/, '');
}
