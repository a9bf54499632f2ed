import type { SignerConfig } from '@aws-sdk/rds-signer';
import { databaseTokenUnavailable } from '../store-errors.ts';
import { detectRegion } from './detect-region.ts';

/** Returns a function that creates a password. The driver calls it for every connection. */
export type TokensFor = (user: string) => () => Promise<string>;

export interface RdsTokenOptions {
  /** `detect` queries the metadata service once. */
  readonly region: string;
  readonly hostname: string;
  readonly port: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Each IAM token is signed locally for one connection and valid for 15 minutes; open connections outlive it.
 * AWS's library loads with the first token. Rejects with ERR_DATABASE_ACCESS.
 */
export function rdsTokens({ region, hostname, port, environment }: RdsTokenOptions): TokensFor {
  let credentials: Promise<string> | undefined;
  const regionOf = async (): Promise<string> => {
    if (region !== 'detect') return region;
    credentials ??= detectRegion(environment);
    try {
      return await credentials;
    } catch (error) {
      credentials = undefined; // the next connection retries
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

/**
 * Returns the AWS credentials in the environment, if any. They take precedence over other sources, as in all
 * AWS tools.
 */
function credentialsIn(environment: RdsTokenOptions['environment']): Pick<SignerConfig, 'credentials'> {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = environment;
  if (!accessKeyId || !secretAccessKey) return {};
  return { credentials: { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) } };
}
