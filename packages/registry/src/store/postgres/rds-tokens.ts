import type { SignerConfig } from '@aws-sdk/rds-signer';
import { databaseTokenUnavailable } from '../store-errors.ts';
import { detectRegion } from './detect-region.ts';

/** For the role of a database: a function that makes a password, which the driver calls for every connection. */
export type TokensFor = (user: string) => () => Promise<string>;

export interface RdsTokenOptions {
  /** `detect`: asked of the metadata service of the machine, once. */
  readonly region: string;
  readonly hostname: string;
  readonly port: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Tokens for IAM of Amazon RDS: signed here, good for a quarter of an hour, and so
 * made anew for every connection. Those that are open live on without. AWS's
 * library is loaded by the first one. Rejects with ERR_DATABASE_TOKEN where there
 * are no credentials, or no region.
 */
export function rdsTokens({ region, hostname, port, environment }: RdsTokenOptions): TokensFor {
  let found: Promise<string> | undefined;
  const regionOf = async (): Promise<string> => {
    if (region !== 'detect') return region;
    found ??= detectRegion(environment);
    try {
      return await found;
    } catch (error) {
      found = undefined; // asked again for the next connection
      throw error;
    }
  };
  return (username) => async () => {
    try {
      const { Signer } = await import('@aws-sdk/rds-signer');
      const signed = { hostname, port, username, region: await regionOf(), ...credentialsIn(environment) };
      return await new Signer(signed).getAuthToken();
    } catch (error) {
      throw databaseTokenUnavailable(`${hostname}:${port}`, error);
    }
  };
}

/** Those of the environment win, as everywhere in AWS; without any, the library looks where it always does. */
function credentialsIn(environment: RdsTokenOptions['environment']): Pick<SignerConfig, 'credentials'> {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = environment;
  if (!accessKeyId || !secretAccessKey) return {};
  return { credentials: { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) } };
}
