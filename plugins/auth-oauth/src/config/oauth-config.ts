import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';

const providerConfig = {
  type: 'object',
  title: 'Provider',
  description: 'An identity provider whose tokens are accepted.',
  required: ['name', 'issuerUrl'],
  properties: {
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      description: 'Unique name of the provider for logs and explanations.',
      examples: ['company'],
    },
    issuerUrl: {
      type: 'string',
      format: 'uri',
      description:
        'Issuer: the `iss` of its tokens, and the start of discovery. https, unless its host is localhost, 127.0.0.1 or ::1.',
      examples: ['https://sso.acme.example/realms/main'],
    },
    audience: {
      type: 'string',
      minLength: 1,
      description:
        'Audience of tokens: one of the values in their `aud`. One of `audience` and `clientIds` is required.',
      examples: ['https://registry.acme.example'],
    },
    clientIds: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { type: 'string', minLength: 1 },
      description:
        'Clients whose tokens are accepted, by the `client_id` of a token, else its `azp`, else its `cid`. With `audience`, both have to match. Without, only tokens that have no `aud` are accepted, such as the access tokens of Amazon Cognito.',
      examples: [['5bsj1l4mbr8lr5r5t8vs4d5m7h']],
    },
    jwksUrl: {
      type: 'string',
      format: 'uri',
      description:
        'Address of the keys. Default: from discovery; without an issuer, every token is introspected.',
      examples: ['https://sso.acme.example/realms/main/protocol/openid-connect/certs'],
    },
    clientId: {
      type: 'string',
      minLength: 1,
      description:
        'Client for the introspection endpoint, with the secret. With it, and without `introspectionUrl`, the endpoint comes from discovery.',
      examples: ['registry'],
    },
    clientSecret: {
      type: 'string',
      minLength: 1,
      secret: true,
      description: 'The secret of `clientId`, instead of a file.',
      examples: ['${OAUTH_CLIENT_SECRET}'],
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
      description:
        'PEM file with additional trusted certificate authorities for the endpoints of this provider.',
      examples: ['./company-ca.pem'],
    },
    authTokenFile: {
      type: 'string',
      format: 'path',
      minLength: 1,
      description:
        'File with a bearer token for discovery and keys, as inside a Kubernetes cluster, and for introspection without a client secret. Read again when it changes.',
      examples: ['/var/run/secrets/kubernetes.io/serviceaccount/token'],
    },
    introspectionUrl: {
      type: 'string',
      format: 'uri',
      description:
        'Introspection endpoint for tokens that are no JWT (RFC 7662). Default: such tokens are refused, unless there is a `clientId`.',
      examples: ['https://sso.acme.example/realms/main/protocol/openid-connect/token/introspect'],
    },
    allowPrivateIP: {
      type: 'boolean',
      default: false,
      description:
        'Allows endpoints of this provider at addresses that are not public, loopback included. A loopback host that the configuration file itself names needs no `allowPrivateIP`.',
    },
  },
} as const satisfies ConfigBlock;

const loginConfig = {
  type: 'object',
  title: 'Login',
  description: 'Settings of interactive logins with this provider.',
  properties: {
    clientId: {
      type: 'string',
      minLength: 1,
      description:
        'Client of this server for logins on its pages; its redirect address is `server.publicUrl` followed by `/login/callback`.',
      examples: ['registry-pages'],
    },
    clientSecretFile: {
      type: 'string',
      format: 'path',
      minLength: 1,
      description:
        'Absolute path of a file with the secret of `clientId`. Default: a public client. Read again when it changes.',
      examples: ['/run/secrets/registry-pages'],
    },
    authorizationUrl: {
      type: 'string',
      format: 'uri',
      description: 'Authorization endpoint for browsers. Default: from discovery.',
      examples: ['https://sso.acme.example/realms/main/protocol/openid-connect/auth'],
    },
    tokenUrl: {
      type: 'string',
      format: 'uri',
      description:
        'Token endpoint. Default: from discovery. With `authorizationUrl`, logins need no discovery.',
      examples: ['https://sso.acme.example/realms/main/protocol/openid-connect/token'],
    },
    publicClientId: {
      type: 'string',
      minLength: 1,
      description:
        'Public client for command lines: `portolan registry login` finds it in the metadata for clients.',
      examples: ['registry-cli'],
    },
    scopes: {
      type: 'array',
      items: { type: 'string', pattern: '^[!#-\\[\\]-~]+$' },
      uniqueItems: true,
      default: ['openid', 'profile', 'email'],
      description:
        'Scopes that a login requests. With most providers, users stay logged in only with `offline_access`.',
    },
    parameters: {
      type: 'object',
      additionalProperties: { type: 'string' },
      default: {},
      description: 'Additional parameters of the authorization request.',
      examples: [{ audience: 'https://registry.acme.example' }],
    },
    token: {
      type: 'string',
      enum: ['access_token', 'id_token'],
      default: 'access_token',
      description:
        'Token of a login that this server gets: `id_token` for providers whose access tokens are only for their own services, such as Google.',
    },
  },
} as const satisfies ConfigBlock;

const listedProviderConfig = {
  ...providerConfig,
  anyOfKeys: ['audience', 'clientIds'],
  properties: { ...providerConfig.properties, login: loginConfig },
} as const satisfies ConfigBlock;

/** Schema without settings that only some hosts have; workloads lack the login settings, for example. */
const callersConfig = {
  type: 'object',
  title: 'Provider of callers',
  description:
    'The single identity provider, instead of `providers`, when less is known of it: `portolan run` creates it from its flags. `issuerUrl` may be left out with `jwksUrl` or `introspectionUrl`, and is not compared then; one of `audience`, `clientIds` and `anyAudience` is required.',
  required: ['name'],
  properties: {
    ...providerConfig.properties,
    anyAudience: {
      type: 'boolean',
      description:
        'Accepts tokens of any audience, without `audience` and `clientIds`: also those that clients got for other services.',
    },
  },
} as const satisfies ConfigBlock;

export const oauthConfig = {
  type: 'object',
  title: 'OAuth mode',
  description: 'Requests carry a bearer token of one of these identity providers.',
  oneOfKeys: [['providers'], ['provider']],
  properties: {
    resourceUrl: {
      type: 'string',
      format: 'uri',
      description:
        'Address of this server for clients, which is in challenges and in the metadata for clients (RFC 9728).',
      examples: ['https://registry.acme.example'],
    },
    realm: {
      type: 'string',
      default: 'mcp-registry',
      pattern: '^[ -~]*$',
      description: 'Realm of challenges. Empty: none.',
      examples: ['mcp-registry'],
    },
    scopes: {
      type: 'array',
      items: { type: 'string', pattern: '^[!#-\\[\\]-~]+$' },
      default: [],
      description: 'Scopes that challenges and the metadata tell clients to request. They are not required.',
      examples: [['mcp']],
    },
    mcpRules: {
      type: 'boolean',
      default: false,
      description:
        'Responds as MCP requires it of servers: a malformed token is 400, another scheme than Bearer is no token, and an unknown `kid` causes at most one fetch of keys per minute.',
    },
    providers: {
      type: 'array',
      minItems: 1,
      description: 'At least one. A token is valid if one of them accepts it.',
      items: listedProviderConfig,
    },
    provider: callersConfig,
    allowInsecureIssuers: {
      type: 'boolean',
      default: false,
      description:
        'Allows http for all addresses of providers. For development only: a machine in the middle can sign tokens.',
    },
  },
} as const satisfies ConfigBlock;

export type OauthConfig = ConfigOf<typeof oauthConfig>;
export type ListedProvider = NonNullable<OauthConfig['providers']>[number];
export type LoginConfig = NonNullable<ListedProvider['login']>;
export type ProviderConfig = NonNullable<OauthConfig['provider']>;

export function providersIn({
  providers = [],
  provider,
}: OauthConfig): readonly { readonly place: string; readonly provider: ProviderConfig | ListedProvider }[] {
  const listed = providers.map((each, index) => ({ place: `providers[${index}]`, provider: each }));
  return provider === undefined ? listed : [...listed, { place: 'provider', provider }];
}
