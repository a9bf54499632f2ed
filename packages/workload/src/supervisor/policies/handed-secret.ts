import { PortolanError } from '@portolan/plugin-api';
import { findSecretReference, quote } from '@portolan/run-spec';

/**
 * Returns a secret that the starting command passed to the supervisor, by its reference or its plain name.
 * `secrets` maps names of secrets to values. Throws ERR_SECRET_NOT_FOUND.
 */
export function handedSecret(
  reference: string,
  secrets: Readonly<Record<string, string>>,
  workload: string,
): string {
  const name = findSecretReference(reference)?.name ?? reference;
  const value = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
  if (value !== undefined) return value;
  throw secretNotHanded(name, workload);
}

/**
 * Creates the error for a policy that refers to a secret which the run config did not name when the workload
 * started.
 */
function secretNotHanded(name: string, workload: string): PortolanError {
  return new PortolanError(
    'ERR_SECRET_NOT_FOUND',
    'absent',
    `A policy of ${workload} needs the secret ${quote(name)}, which the run config does not name.`,
    { hint: 'Check the settings of its policies, and run the workload again.' },
  );
}
