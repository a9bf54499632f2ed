import { createHmac } from 'node:crypto';
import type { ConfigBlock, OutgoingCredentialsKind, OutgoingRequest, Plugin } from '@portolan/plugin-api';

const signedConfig = {
  type: 'object',
  description: 'A key that the remote server knows, too.',
  required: ['keyId'],
  properties: {
    keyId: { type: 'string', minLength: 1, description: 'Its name at the remote server.' },
    key: {
      type: 'string',
      minLength: 16,
      secret: true,
      description: 'The key itself, in the configuration.',
    },
    keySecret: { type: 'string', description: 'Reference to it in the secret store: `NAME,target=TARGET`.' },
  },
} as const satisfies ConfigBlock;

/** Client headers that are signed as well, because they describe the message. */
const SIGNED_HEADERS = ['mcp-method', 'mcp-name', 'mcp-protocol-version', 'mcp-session-id'];

/** Signs each request to a remote server: method, address, time, headers, and the hash of the body. */
export const signedRequests: OutgoingCredentialsKind<typeof signedConfig> = {
  kind: 'signed-requests',
  config: signedConfig,
  check: ({ key, keySecret }) =>
    (key === undefined) === (keySecret === undefined)
      ? [{ place: '', found: 'both or neither', expected: 'one of key and keySecret' }]
      : [],
  create: ({ keyId, key, keySecret = '' }, { clock, secret }) => ({
    credentials: async (outgoing) => {
      const at = clock().toISOString();
      const signature = createHmac('sha256', key ?? secret(keySecret))
        .update(await textToSign(outgoing, at))
        .digest('base64');
      return [
        { name: 'X-Signed-At', value: at },
        { name: 'Authorization', value: `Signature keyId="${keyId}", signature="${signature}"` },
      ];
    },
  }),
};

/** Returns the signed text, which both sides compute: one line for each part. */
export async function textToSign(
  { method, url, headers, bodyHash }: OutgoingRequest,
  at: string,
): Promise<string> {
  const signed = SIGNED_HEADERS.map((name) => `${name}: ${[headers[name] ?? ''].flat().join(', ')}`);
  return [method, url.host, url.pathname + url.search, at, ...signed, await bodyHash()].join('\n');
}

export default {
  name: 'signed-requests',
  apiVersion: 2,
  contributes: { outgoingCredentials: [signedRequests] },
} satisfies Plugin;
