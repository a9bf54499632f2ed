import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';

/** Schema of `token_exchange_config`, with the names that other programs use. */
export const tokenExchangeConfig = {
  type: 'object',
  description: "Replaces the caller's token by one for the server (RFC 8693).",
  required: ['token_url'],
  properties: {
    token_url: {
      type: 'string',
      format: 'uri',
      description: 'Token endpoint; https, or http on this machine.',
    },
    client_id: { type: 'string', description: 'Whom the proxy says to be there.' },
    client_secret: {
      type: 'string',
      description:
        'Reference to its secret, `NAME,target=x`. With id and secret, the proxy authenticates by HTTP Basic.',
    },
    audience: { type: 'string', description: 'For whom the token is to be.' },
    scopes: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      description: 'Scopes of the new token.',
    },
    subject_token_type: {
      type: 'string',
      enum: [
        '',
        'access_token',
        'id_token',
        'jwt',
        'urn:ietf:params:oauth:token-type:access_token',
        'urn:ietf:params:oauth:token-type:id_token',
        'urn:ietf:params:oauth:token-type:jwt',
      ],
      default: 'access_token',
      description: "Type of the callers' tokens.",
    },
    header_strategy: {
      type: 'string',
      enum: ['', 'replace', 'custom'],
      default: 'replace',
      description:
        '`replace`: the token replaces that in `Authorization`. `custom`: it has its own header, and `Authorization` stays.',
    },
    external_token_header_name: {
      type: 'string',
      description: 'Name of that header; only with `custom`, and required there.',
    },
    allow_private_ip: {
      type: 'boolean',
      default: false,
      description: 'Whether `token_url` may have an address that is not public.',
    },
    insecure_allow_http: {
      type: 'boolean',
      default: false,
      description: 'Whether it may use http on other machines as well; for tests.',
    },
  },
} as const satisfies ConfigBlock;

export type TokenExchangeConfig = ConfigOf<typeof tokenExchangeConfig>;
