import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';

export const apiConfig = {
  type: 'object',
  title: 'API source',
  description: 'Another registry with the MCP registry API, v0.1 or v0.',
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
        'Entry types to read. Portolan and the ToolHive registry server have skills and plugins; other registries have none.',
    },
    auth: {
      type: 'object',
      title: 'Credentials',
      description: 'Credentials for each request. Default: none.',
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
          description: 'File with a bearer token that changes while the server runs: read for each request.',
          examples: ['/var/run/secrets/registry-token'],
        },
        clientCredentials: {
          type: 'object',
          title: 'Client credentials',
          description: 'Requests tokens from an issuer, with the client credentials grant of OAuth 2.',
          required: ['issuer', 'clientId', 'clientSecret'],
          properties: {
            issuer: {
              type: 'string',
              format: 'uri',
              description: 'Start of discovery. https, unless its host is localhost, 127.0.0.1 or ::1.',
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
              description: 'Requested scopes, separated by spaces.',
            },
            resource: { type: 'string', format: 'uri', description: 'What the token is for (RFC 8707).' },
            audience: {
              type: 'string',
              minLength: 1,
              description: 'The same, for issuers that support this parameter.',
            },
          },
        },
      },
    },
    headers: {
      type: 'object',
      description:
        'Additional headers for each request to the origin of `endpoint`, by name; `${NAME}` reads an environment variable.',
      additionalProperties: { type: 'string', secret: true },
      examples: [{ 'X-Api-Key': '${REGISTRY_KEY}' }],
    },
    fullSyncInterval: {
      type: 'string',
      format: 'duration',
      default: '24h',
      description:
        'Maximum time between two full reads, at least 1s. In between, syncs read only changes; the next full read notices deletions.',
    },
    timeout: {
      type: 'string',
      format: 'duration',
      default: '30s',
      description: 'Timeout of one request, above zero and at most 5m.',
    },
    retries: {
      type: 'integer',
      minimum: 0,
      maximum: 10,
      default: 4,
      description:
        'Maximum number of retries of a request within one sync, with growing delays or those of `Retry-After`.',
    },
    pageSize: {
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      default: 100,
      description: 'Rows per page. The official registry returns at most 100, Portolan 1000.',
    },
    maxPageBytes: {
      type: 'integer',
      minimum: 1024,
      maximum: 268_435_456,
      default: 33_554_432,
      description: 'Maximum bytes of one response, after decompression.',
    },
    maxPages: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
      default: 10_000,
      description: 'Maximum number of pages of one list.',
    },
    maxEntries: {
      type: 'integer',
      minimum: 1,
      maximum: 10_000_000,
      default: 1_000_000,
      description: 'Maximum number of versions in one list.',
    },
  },
} as const satisfies ConfigBlock;

export type ApiConfig = ConfigOf<typeof apiConfig>;
