import { joinAddress } from '@portolan/plugin-api';

const USUAL_ADDRESS = 'http://169.254.169.254';
const LIMIT_MS = 2000;
const LIMIT_BYTES = 4096; // a token has some 60

/**
 * The region this machine is in, as the metadata service of EC2 says (IMDSv2: a token
 * first, then the question). `AWS_EC2_METADATA_SERVICE_ENDPOINT` names another one.
 */
export async function detectRegion(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const address = environment['AWS_EC2_METADATA_SERVICE_ENDPOINT'] || USUAL_ADDRESS;
  const ask = async (method: string, path: string, headers: Record<string, string>): Promise<string> => {
    const signal = AbortSignal.timeout(LIMIT_MS);
    // Without the proxies of the operator: the service answers this machine alone.
    const answer = await fetch(joinAddress(new URL(address), path), {
      method,
      headers,
      signal,
      redirect: 'error',
    });
    if (!answer.ok) throw new Error(`the metadata service answered ${path} with ${answer.status}`);
    return (await readText(answer)).trim();
  };
  const token = await ask('PUT', '/latest/api/token', { 'X-aws-ec2-metadata-token-ttl-seconds': '60' });
  const region = await ask('GET', '/latest/meta-data/placement/region', {
    'X-aws-ec2-metadata-token': token,
  });
  if (!/^[a-z]{2,}(-[a-z0-9]+)+$/.test(region)) throw new Error('the metadata service named no region');
  return region;
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > LIMIT_BYTES) throw new Error(`the metadata service answered with over ${LIMIT_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
