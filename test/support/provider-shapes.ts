import type { LoginProvider, ProviderShape } from './login-provider.ts';

/** A provider as documented: its differences, and the settings of Portolan for a login. */
export interface DocumentedProvider {
  readonly name: string;
  readonly shape: ProviderShape;
  readonly clientSecret: string | undefined;
  readonly login: {
    readonly scopes: readonly string[];
    readonly parameters: Readonly<Record<string, string>>;
    readonly token: 'access_token' | 'id_token';
  };
  /** Parameters that its login page requires. */
  readonly asks: Readonly<Record<string, string>>;
  /** Whether the client secret has to be in the body. */
  readonly bySecretInBody: boolean;
  readonly hasEnded: (provider: LoginProvider) => boolean;
}

const wasRevoked = ({ revoked, tokenRequests, renewals }: LoginProvider): boolean => {
  // Refresh token to revoke. A provider that does not rotate has only the first one.
  const last = renewals.at(-1) ?? tokenRequests.at(-1)?.get('refresh_token');
  return revoked.length === 1 && revoked[0] === last;
};
const isLeftAlone = ({ revoked }: LoginProvider): boolean => revoked.length === 0;

/**
 * As their documentation shows them in 2026: Keycloak (Server Administration Guide, OIDC endpoints), Microsoft Entra
 * (identity platform, authorization code flow), Auth0 (Authorization Code Flow with PKCE), Google (OpenID Connect),
 * Dex (README of its clients, `server/handlers.go`).
 */
export const DOCUMENTED_PROVIDERS: readonly DocumentedProvider[] = [
  {
    name: 'Keycloak',
    clientSecret: 'keycloak-secret',
    login: { scopes: ['openid', 'profile', 'email'], parameters: {}, token: 'access_token' },
    asks: { scope: 'openid profile email' },
    bySecretInBody: false,
    hasEnded: wasRevoked,
    shape: {
      issuerPath: '/realms/main',
      authorizePath: '/realms/main/protocol/openid-connect/auth',
      tokenPath: '/realms/main/protocol/openid-connect/token',
      revocationPath: '/realms/main/protocol/openid-connect/revoke',
      endSessionPath: '/realms/main/protocol/openid-connect/logout',
      redirect: { session_state: 'c0bd8a0e-6bf2-4bd5-bb30-a0b7a2a6d3b2' },
      discovery: {
        code_challenge_methods_supported: ['plain', 'S256'],
        token_endpoint_auth_methods_supported: [
          'private_key_jwt',
          'client_secret_basic',
          'client_secret_post',
          'tls_client_auth',
          'client_secret_jwt',
        ],
      },
      answer: (usual) => ({
        ...usual,
        refresh_expires_in: 1800,
        'not-before-policy': 0,
        session_state: 'c0bd8a0e-6bf2-4bd5-bb30-a0b7a2a6d3b2',
      }),
    },
  },
  {
    name: 'Microsoft Entra',
    clientSecret: 'a~B.c-D_e',
    login: {
      scopes: ['openid', 'profile', 'offline_access', 'api://registry/read'],
      parameters: {},
      token: 'access_token',
    },
    asks: { scope: 'openid profile offline_access api://registry/read' },
    bySecretInBody: true,
    hasEnded: isLeftAlone,
    shape: {
      issuerPath: '/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0',
      authorizePath: '/72f988bf-86f1-41af-91ab-2d7cd011db47/oauth2/v2.0/authorize',
      tokenPath: '/72f988bf-86f1-41af-91ab-2d7cd011db47/oauth2/v2.0/token',
      endSessionPath: '/72f988bf-86f1-41af-91ab-2d7cd011db47/oauth2/v2.0/logout',
      redirect: { session_state: '7b29111d-c220-4263-99ab-6f6e135d75ef' },
      discovery: {
        // The provider supports PKCE and does not announce it.
        code_challenge_methods_supported: undefined,
        authorization_response_iss_parameter_supported: undefined,
        token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt'],
        tenant_region_scope: 'WW',
        cloud_instance_name: 'microsoftonline.com',
      },
      // No ID token, and the scopes in another order.
      answer: (usual) => ({ ...usual, ext_expires_in: 300, scope: 'api://registry/read profile openid' }),
    },
  },
  {
    name: 'Auth0',
    clientSecret: undefined,
    login: {
      scopes: ['openid', 'profile', 'email', 'offline_access'],
      parameters: { audience: 'https://registry.acme.example' },
      token: 'access_token',
    },
    asks: {
      audience: 'https://registry.acme.example',
      scope: 'openid profile email offline_access',
    },
    bySecretInBody: false,
    hasEnded: wasRevoked,
    shape: {
      issuerPath: '/',
      authorizePath: '/authorize',
      tokenPath: '/oauth/token',
      revocationPath: '/oauth/revoke',
      endSessionPath: '/oidc/logout',
      discovery: {
        code_challenge_methods_supported: ['S256', 'plain'],
        authorization_response_iss_parameter_supported: undefined,
        token_endpoint_auth_methods_supported: [
          'client_secret_basic',
          'client_secret_post',
          'private_key_jwt',
          'none',
        ],
      },
    },
  },
  {
    name: 'Google',
    clientSecret: 'GOCSPX-secret',
    login: {
      scopes: ['openid', 'email', 'profile'],
      parameters: { access_type: 'offline', prompt: 'consent' },
      token: 'id_token',
    },
    asks: { access_type: 'offline', prompt: 'consent', scope: 'openid email profile' },
    bySecretInBody: true,
    hasEnded: wasRevoked,
    shape: {
      issuerPath: '',
      authorizePath: '/o/oauth2/v2/auth',
      tokenPath: '/token',
      revocationPath: '/revoke',
      opaque: true,
      redirect: { scope: 'email profile openid', authuser: '0', hd: 'acme.example', prompt: 'consent' },
      discovery: {
        code_challenge_methods_supported: ['plain', 'S256'],
        token_endpoint_auth_methods_supported: ['client_secret_post'],
      },
      answer: ({ refresh_token: renewal, ...usual }, requested) => ({
        ...usual,
        scope: 'openid https://www.googleapis.com/auth/userinfo.email',
        ...(requested === 'code' ? { refresh_token: renewal } : {}),
      }),
    },
  },
  {
    name: 'Dex',
    clientSecret: 'ZXhhbXBsZS1hcHAtc2VjcmV0',
    login: { scopes: ['openid', 'email', 'offline_access'], parameters: {}, token: 'id_token' },
    asks: { scope: 'openid email offline_access' },
    bySecretInBody: false,
    hasEnded: isLeftAlone,
    shape: {
      issuerPath: '/dex',
      authorizePath: '/dex/auth',
      tokenPath: '/dex/token',
      discovery: {
        code_challenge_methods_supported: ['S256', 'plain'],
        authorization_response_iss_parameter_supported: undefined,
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      },
      answer: ({ scope: _scope, ...usual }) => ({ ...usual, token_type: 'bearer' }),
    },
  },
];
