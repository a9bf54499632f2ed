import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';

/** The block below `api`. */
export const apiConfig = {
  type: 'object',
  title: 'API source',
  description: 'Another registry that speaks the MCP registry API, v0.1 or v0.',
  required: ['endpoint'],
  properties: {
    endpoint: {
      type: 'string',
      format: 'uri',
      minLength: 1,
      description: 'http or https address of the registry, to which `/v0.1/servers` is added.',
      examples: ['https://registry.acme.example/registry/main'],
    },
    types: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { type: 'string', enum: ['server', 'skill', 'plugin'] },
      default: ['server', 'skill', 'plugin'],
      description:
        'What is read. Skills and plugins are had of a Portolan and of the ToolHive registry server; other registries have none.',
    },
    auth: {
      type: 'object',
      title: 'Credentials',
      description: 'What the registry is shown with each request. Left out: nothing.',
      oneOfKeys: [['token'], ['tokenFile'], ['clientCredentials']],
      properties: {
        token: {
          type: 'string',
          minLength: 1,
          secret: true,
          description: 'A bearer token; `${NAME}` reads an environment variable, `file:PATH` a file, once.',
        },
        tokenFile: {
          type: 'string',
          format: 'path',
          minLength: 1,
          description:
            'File with a bearer token that is replaced while the server runs: read with each request.',
          examples: ['/var/run/secrets/registry-token'],
        },
        clientCredentials: {
          type: 'object',
          title: 'Client credentials',
          description: 'Tokens are asked for at an issuer, by the client credentials grant of OAuth 2.',
          required: ['issuer', 'clientId', 'clientSecret'],
          properties: {
            issuer: {
              type: 'string',
              format: 'uri',
              description: 'Discovery starts there. https, unless its host is localhost, 127.0.0.1 or ::1.',
              examples: ['https://sso.acme.example/realms/main'],
            },
            clientId: { type: 'string', minLength: 1, description: 'Of this server, at the issuer.' },
            clientSecret: {
              type: 'string',
              minLength: 1,
              secret: true,
              description: 'Secret of `clientId`.',
            },
            scope: {
              type: 'string',
              minLength: 1,
              description: 'Scopes that are asked for, with spaces between them.',
            },
            resource: { type: 'string', format: 'uri', description: 'What the token is for (RFC 8707).' },
            audience: {
              type: 'string',
              minLength: 1,
              description: 'The same, for issuers that know this parameter.',
            },
          },
        },
      },
    },
    headers: {
      type: 'object',
      description:
        'More headers for each request to the origin of `endpoint`, by name; `${NAME}` reads an environment variable.',
      additionalProperties: { type: 'string', secret: true },
      examples: [{ 'X-Api-Key': '${REGISTRY_KEY}' }],
    },
    fullSyncInterval: {
      type: 'string',
      format: 'duration',
      default: '24h',
      description:
        'Longest time between two reads of everything, at least 1s. In between, syncs read what has changed; what was deleted is noticed by the next read of everything.',
    },
    timeout: {
      type: 'string',
      format: 'duration',
      default: '30s',
      description: 'Most time one request may take, above zero and at most 5m.',
    },
    retries: {
      type: 'integer',
      minimum: 0,
      maximum: 10,
      default: 4,
      description:
        'How often a request that failed for a passing reason is sent again within one sync, each time later, or when `Retry-After` says.',
    },
    pageSize: {
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      default: 100,
      description: 'Rows asked for at a time. The official registry gives at most 100, a Portolan 1000.',
    },
    maxPageBytes: {
      type: 'integer',
      minimum: 1024,
      maximum: 268_435_456,
      default: 33_554_432,
      description: 'Most bytes of one answer, after decompression.',
    },
    maxPages: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
      default: 10_000,
      description: 'Most pages of one list.',
    },
    maxEntries: {
      type: 'integer',
      minimum: 1,
      maximum: 10_000_000,
      default: 1_000_000,
      description: 'Most versions of one list.',
    },
  },
} as const satisfies ConfigBlock;

export type ApiConfig = ConfigOf<typeof apiConfig>;
