import { isDeepStrictEqual } from 'node:util';
import { quote } from '@portolan/run-spec';
import type { Provenance } from './provenance.ts';

/** Signer by the verified certificate, and the statement about the image. */
export interface SignedIdentity {
  readonly subject: string | undefined;
  readonly issuer: string | undefined;
  readonly repositoryUri: string | undefined;
  readonly repositoryRef: string | undefined;
  readonly runnerEnvironment: string | undefined;
  readonly statement: { readonly predicateType: string | undefined; readonly predicate: unknown } | undefined;
}

const GITHUB_ACTIONS = 'https://token.actions.githubusercontent.com';

/** Returns a sentence for each difference from the registry entry. */
export function compareProvenance(expected: Provenance, signedIdentity: SignedIdentity): readonly string[] {
  const pairs: readonly (readonly [
    field: string,
    expected: string | undefined,
    found: string | undefined,
  ])[] = [
    ['repository_uri', expected.repositoryUri, signedIdentity.repositoryUri],
    ['repository_ref', expected.repositoryRef, signedIdentity.repositoryRef],
    ['runner_environment', expected.runnerEnvironment, signedIdentity.runnerEnvironment],
    ['cert_issuer', expected.certIssuer, signedIdentity.issuer],
  ];
  const differences = pairs
    .filter(([, requested, is]) => requested !== undefined && requested !== is)
    .map(([field, requested, is]) => difference(field, requested, is));
  const { signerIdentity } = expected;
  const identities = identitiesOf(signedIdentity);
  if (signerIdentity !== undefined && !identities.includes(signerIdentity)) {
    differences.push(difference('signer_identity', signerIdentity, identities[0]));
  }
  return [...differences, ...compareAttestation(expected, signedIdentity)];
}

/**
 * Returns the names by which an entry may identify the signer: the subject and, for GitHub workflows in their
 * own repository, the workflow's path.
 */
function identitiesOf({ subject, issuer, repositoryUri }: SignedIdentity): readonly string[] {
  if (subject === undefined) return [];
  if (issuer !== GITHUB_ACTIONS || repositoryUri === undefined) return [subject];
  const workflow = subject.split('@', 1)[0] ?? '';
  const isOwn = workflow.startsWith(`${repositoryUri}/`);
  return [isOwn ? workflow.slice(repositoryUri.length) : workflow, subject];
}

/** Compares predicates only when both sides have one. */
function compareAttestation({ attestation }: Provenance, { statement }: SignedIdentity): readonly string[] {
  if (attestation?.predicate === undefined || statement?.predicate === undefined) return [];
  const { predicateType, predicate } = attestation;
  if (predicateType !== undefined && predicateType !== statement.predicateType) {
    return [difference('attestation.predicate_type', predicateType, statement.predicateType)];
  }
  if (isDeepStrictEqual(plain(predicate), plain(statement.predicate))) return [];
  return ['attestation.predicate: the signed one is another'];
}

/** Returns a copy with plain prototypes, because two parsers may create objects with different ones. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function difference(field: string, requested: string | undefined, is: string | undefined): string {
  return `${field}: found ${is === undefined ? 'nothing' : quote(is)}; expected ${quote(requested ?? '')}`;
}
