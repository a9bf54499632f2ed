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
      description:
        'Who tokens have to be for: one of the values in their `aud`. One of `audience` and `clientIds` is required.',
      examples: ['https://registry.acme.example'],
    },
    clientIds: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { type: 'string', minLength: 1 },
      description:
        'Clients whose tokens are accepted: the `client_id` of a token, else its `azp`, else its `cid`, has to be one of them. With `audience`, both have to match. Without, only tokens that have no `aud` are accepted, such as the access tokens of Amazon Cognito.',
      examples: [['5bsj1l4mbr8lr5r5t8vs4d5m7h']],
    },
    jwksUrl: {
      type: 'string',
      format: 'uri',
      description:
        'Where the keys are. Left out: what discovery says; without an issuer every token is looked up.',
      examples: ['https://sso.acme.example/realms/main/protocol/openid-connect/certs'],
    },
    clientId: {
      type: 'string',
      minLength: 1,
      description:
        'Sent to the introspection endpoint, with the secret. With it, and without `introspectionUrl`, that of discovery is asked.',
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
      description: 'PEM file with more certificate authorities to trust, for the endpoints of this provider.',
      examples: ['./company-ca.pem'],
    },
    authTokenFile: {
      type: 'string',
      format: 'path',
      minLength: 1,
      description:
        'File with a bearer token that discovery and keys are asked with, as inside a Kubernetes cluster, and introspection without a client secret. Read again when it changes.',
      examples: ['/var/run/secrets/kubernetes.io/serviceaccount/token'],
    },
    introspectionUrl: {
      type: 'string',
      format: 'uri',
      description:
        'Where tokens that are no JWT are looked up (RFC 7662). Left out: they are refused, unless there is a `clientId`.',
      examples: ['https://sso.acme.example/realms/main/protocol/openid-connect/token/introspect'],
    },
    allowPrivateIP: {
      type: 'boolean',
      default: false,
      description:
        'Lets the endpoints of this provider have addresses that are not public, loopback included. A loopback host that the configuration file itself names needs no `allowPrivateIP`.',
    },
  },
} as const satisfies ConfigBlock;

/** How users log in with this provider. */
const loginConfig = {
  type: 'object',
  title: 'Login',
  description: 'How people log in with this provider, who have no token yet.',
  properties: {
    clientId: {
      type: 'string',
      minLength: 1,
      description:
        'The client with which this server logs people in on its pages; its redirect address is `server.publicUrl` with `/login/callback` behind it.',
      examples: ['registry-pages'],
    },
    clientSecretFile: {
      type: 'string',
      format: 'path',
      minLength: 1,
      description:
        'Absolute path of a file with the secret of `clientId`. Left out: it is a public client. Read again when it changes.',
      examples: ['/run/secrets/registry-pages'],
    },
    authorizationUrl: {
      type: 'string',
      format: 'uri',
      description: 'Where browsers are sent. Left out: what discovery says.',
      examples: ['https://sso.acme.example/realms/main/protocol/openid-connect/auth'],
    },
    tokenUrl: {
      type: 'string',
      format: 'uri',
      description:
        'Where codes become tokens. Left out: what discovery says. With `authorizationUrl` nothing is discovered for logins.',
      examples: ['https://sso.acme.example/realms/main/protocol/openid-connect/token'],
    },
    publicClientId: {
      type: 'string',
      minLength: 1,
      description:
        'A client without a secret, for command lines: `portolan registry login` finds it in the metadata for clients.',
      examples: ['registry-cli'],
    },
    scopes: {
      type: 'array',
      items: { type: 'string', pattern: '^[!#-\\[\\]-~]+$' },
      uniqueItems: true,
      default: ['openid', 'profile', 'email'],
      description:
        'Scopes that a login asks for. With most providers people stay logged in only with `offline_access`.',
    },
    parameters: {
      type: 'object',
      additionalProperties: { type: 'string' },
      default: {},
      description: 'More parameters of the authorization request.',
      examples: [{ audience: 'https://registry.acme.example' }],
    },
    token: {
      type: 'string',
      enum: ['access_token', 'id_token'],
      default: 'access_token',
      description:
        'Which of the tokens of a login goes to this server: `id_token` for providers whose access tokens are for themselves, as those of Google.',
    },
  },
} as const satisfies ConfigBlock;

const listedProviderConfig = {
  ...providerConfig,
  anyOfKeys: ['audience', 'clientIds'],
  properties: { ...providerConfig.properties, login: loginConfig },
} as const satisfies ConfigBlock;

/** The same settings without those that some hosts lack, such as workloads. */
const callersConfig = {
  type: 'object',
  title: 'Provider of callers',
  description:
    'The one identity provider, instead of `providers`, where less is known of it: what `portolan run` makes of its flags. `issuerUrl` may be left out where `jwksUrl` or `introspectionUrl` is given, and is not compared then; one of `audience`, `clientIds` and `anyAudience` is required.',
  required: ['name'],
  properties: {
    ...providerConfig.properties,
    anyAudience: {
      type: 'boolean',
      description:
        'Accepts tokens whoever they are for, where there is neither `audience` nor `clientIds`: also those that clients got for other services.',
    },
  },
} as const satisfies ConfigBlock;

/** The block below `oauth` of `auth`. */
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
        'The address under which clients know this server; it stands in challenges and in the metadata for clients (RFC 9728).',
      examples: ['https://registry.acme.example'],
    },
    realm: {
      type: 'string',
      default: 'mcp-registry',
      pattern: '^[ -~]*$',
      description: 'Stands in challenges. Empty: they have none.',
      examples: ['mcp-registry'],
    },
    scopes: {
      type: 'array',
      items: { type: 'string', pattern: '^[!#-\\[\\]-~]+$' },
      default: [],
      description:
        'Scopes that clients are told to ask for, in challenges and in the metadata. Nobody has to have them.',
      examples: [['mcp']],
    },
    mcpRules: {
      type: 'boolean',
      default: false,
      description:
        'Answers as MCP wants it of its servers: a malformed token is 400, another scheme than Bearer is no token, and an unknown `kid` lets keys be fetched again at most once a minute.',
    },
    providers: {
      type: 'array',
      minItems: 1,
      description: 'At least one; a token is good when one of them accepts it.',
      items: listedProviderConfig,
    },
    provider: callersConfig,
    allowInsecureIssuers: {
      type: 'boolean',
      default: false,
      description:
        'Lets all addresses of providers be http. For development only: whoever is between can sign tokens.',
    },
  },
} as const satisfies ConfigBlock;

export type OauthConfig = ConfigOf<typeof oauthConfig>;
/** A provider in a list. */
export type ListedProvider = NonNullable<OauthConfig['providers']>[number];
export type LoginConfig = NonNullable<ListedProvider['login']>;
/** A provider of either form. */
export type ProviderConfig = NonNullable<OauthConfig['provider']>;

/** Returns the providers with their places. */
export function providersIn({
  providers = [],
  provider,
}: OauthConfig): readonly { readonly place: string; readonly provider: ProviderConfig | ListedProvider }[] {
  const listed = providers.map((each, index) => ({ place: `providers[${index}]`, provider: each }));
  return provider === undefined ? listed : [...listed, { place: 'provider', provider }];
}
