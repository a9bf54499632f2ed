import type { SignerConfig } from '@aws-sdk/rds-signer';
import { databaseTokenUnavailable } from '../store-errors.ts';
import { joinAddress } from '@portolan/plugin-api';

const USUAL_ADDRESS = 'http://169.254.169.254';
const LIMIT_MS = 2000;
const LIMIT_BYTES = 4096; // a token has about 60 bytes

/** Queries the EC2 metadata service (IMDSv2). `AWS_EC2_METADATA_SERVICE_ENDPOINT` overrides the address. */
async function detectRegion(environment: Readonly<Record<string, string | undefined>>): Promise<string> {
  const address = environment['AWS_EC2_METADATA_SERVICE_ENDPOINT'] || USUAL_ADDRESS;
  const ask = async (method: string, path: string, headers: Record<string, string>): Promise<string> => {
    const signal = AbortSignal.timeout(LIMIT_MS);
    // Bypasses proxies, because the service responds only to this machine.
    const response = await fetch(joinAddress(new URL(address), path), {
      method,
      headers,
      signal,
      redirect: 'error',
    });
    if (!response.ok) throw new Error(`the metadata service responded to ${path} with ${response.status}`);
    return (await readText(response)).trim();
  };
  const token = await ask('PUT', '/latest/api/token', { 'X-aws-ec2-metadata-token-ttl-seconds': '60' });
  const region = await ask('GET', '/latest/meta-data/placement/region', {
    'X-aws-ec2-metadata-token': token,
  });
  if (!/^[a-z]{2,}(-[a-z0-9]+)+$/.test(region))
    throw new Error('the response of the metadata service has no region');
  return region;
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > LIMIT_BYTES)
      throw new Error(`the response of the metadata service has over ${LIMIT_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

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
