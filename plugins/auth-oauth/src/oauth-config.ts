import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';

const providerConfig = {
  type: 'object',
  title: 'Provider',
  description: 'An identity provider whose tokens are accepted.',
  required: ['name', 'issuerUrl', 'audience'],
  properties: {
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      description: 'Stands in logs and in explanations; each provider has its own.',
      examples: ['company'],
    },
    issuerUrl: {
      type: 'string',
      format: 'uri',
      description:
        'The issuer: tokens name it in `iss`, and discovery starts there. https, unless its host is localhost, 127.0.0.1 or ::1.',
      examples: ['https://sso.acme.example/realms/main'],
    },
    audience: {
      type: 'string',
      minLength: 1,
      description: 'Who tokens have to be for: one of the values in their `aud`.',
      examples: ['https://registry.acme.example'],
    },
    jwksUrl: {
      type: 'string',
      format: 'uri',
      description: 'Where the keys are. Left out: what discovery says.',
      examples: ['https://sso.acme.example/realms/main/protocol/openid-connect/certs'],
    },
    clientId: {
      type: 'string',
      minLength: 1,
      description: 'Sent to the introspection endpoint, with the secret.',
      examples: ['registry'],
    },
    clientSecretFile: {
      type: 'string',
      format: 'path',
      minLength: 1,
      description: 'Absolute path of a file with the secret of `clientId`. Read again when it changes.',
      examples: ['/run/secrets/oauth-client'],
    },
    caCertPath: {
      type: 'string',
      format: 'path',
      minLength: 1,
      description: 'PEM file with more certificate authorities to trust, for the endpoints of this provider.',
      examples: ['./company-ca.pem'],
    },
    authTokenFile: {
      type: 'string',
      format: 'path',
      minLength: 1,
      description:
        'File with a bearer token that discovery and keys are asked with, as inside a Kubernetes cluster. Read again when it changes.',
      examples: ['/var/run/secrets/kubernetes.io/serviceaccount/token'],
    },
    introspectionUrl: {
      type: 'string',
      format: 'uri',
      description: 'Where tokens that are no JWT are looked up (RFC 7662). Left out: they are refused.',
      examples: ['https://sso.acme.example/realms/main/protocol/openid-connect/token/introspect'],
    },
    allowPrivateIP: {
      type: 'boolean',
      default: false,
      description:
        'Lets the endpoints of this provider have addresses that are not public, loopback included.',
    },
  },
} as const satisfies ConfigBlock;

/** The block below `oauth` of `auth`. */
export const oauthConfig = {
  type: 'object',
  title: 'OAuth mode',
  description: 'Requests carry a bearer token of one of these identity providers.',
  required: ['providers'],
  properties: {
    resourceUrl: {
      type: 'string',
      format: 'uri',
      description:
        'The address under which clients know this server; it stands in challenges and in the metadata for clients (RFC 9728).',
      examples: ['https://registry.acme.example'],
    },
    realm: {
      type: 'string',
      default: 'mcp-registry',
      pattern: '^[ -~]*$',
      description: 'Stands in challenges.',
      examples: ['mcp-registry'],
    },
    providers: {
      type: 'array',
      minItems: 1,
      description: 'At least one; a token is good when one of them accepts it.',
      items: providerConfig,
    },
    allowInsecureIssuers: {
      type: 'boolean',
      default: false,
      description:
        'Lets all addresses of providers be http. For development only: whoever is between can sign tokens.',
    },
  },
} as const satisfies ConfigBlock;

export type OauthConfig = ConfigOf<typeof oauthConfig>;
export type ProviderConfig = OauthConfig['providers'][number];
