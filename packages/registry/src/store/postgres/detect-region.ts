import { joinAddress } from '@portolan/plugin-api';

const USUAL_ADDRESS = 'http://169.254.169.254';
const LIMIT_MS = 2000;
const LIMIT_BYTES = 4096; // a token has about 60 bytes

/** Queries the EC2 metadata service (IMDSv2). `AWS_EC2_METADATA_SERVICE_ENDPOINT` overrides the address. */
export async function detectRegion(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
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
