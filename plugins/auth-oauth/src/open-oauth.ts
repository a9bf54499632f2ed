import type { IncomingMessage } from 'node:http';
import type { AuthProvider, Identity, PluginContext, PublicClient } from '@portolan/plugin-api';
import { findTenantlessIssuers } from './check-online.ts';
import { KnownCredentials } from './tokens/bearer-token.ts';
import { type ChallengeError, describeRefusal, DESCRIPTIONS, renderChallenge } from './challenge.ts';
import {
  type Challenge,
  credentialMalformed,
  credentialMissing,
  providerUnavailable,
  tokenRefused,
} from './errors.ts';
import type { OauthConfig } from './config/oauth-config.ts';
import { Provider } from './provider.ts';
import { ProviderLogin } from './provider-login.ts';
import { openProviderSettings, type ProviderSettings } from './config/provider-settings.ts';
import { MCP_TIMING, TIMING, type Timing } from './timing.ts';
import { TokenExaminer } from './tokens/token-examiner.ts';

/** Creates an instance of the provider. Tests pass shorter times. Throws ERR_OAUTH_CONFIG. */
export async function createOauthAuth(
  config: OauthConfig,
  context: PluginContext,
  timing: Timing = config.mcpRules ? MCP_TIMING : TIMING,
): Promise<AuthProvider> {
  const settings = await openProviderSettings(config, context);
  const providers = settings.map((each) => new Provider(each, context, timing));
  const logins = settings.flatMap((each) => loginsOf(each, context, timing));
  const examiner = new TokenExaminer(providers, context);
  const identities = new WeakMap<object, Identity>();
  const credentials = new KnownCredentials();
  const { mcpRules } = config;
  // A refresh token is requested from the provider, not from the resource (SEP-2207).
  const scopes = config.scopes.filter((scope) => scope !== 'offline_access');
  const challenge = (error?: ChallengeError, message?: string): Challenge => ({
    header: renderChallenge({ ...config, scopes }, error, message),
    // RFC 6750, section 3.1: without credentials, the header has no error code.
    error: error ?? 'invalid_request',
    description: message ?? DESCRIPTIONS[error ?? 'invalid_request'],
  });

  function authenticate({ rawHeaders, socket }: IncomingMessage): Identity | Promise<Identity> {
    const credential = credentials.read(rawHeaders, socket);
    if (credential.outcome === 'nothing') throw credentialMissing(challenge());
    if (credential.outcome === 'other-scheme' && mcpRules) throw credentialMissing(challenge());
    if (credential.outcome === 'malformed' || credential.outcome === 'other-scheme') {
      throw credentialMalformed(challenge('invalid_request'), mcpRules ? 400 : 401);
    }
    const { token, digest } = credential;
    return examiner.find(digest) ?? examine(token, digest);
  }

  async function examine(token: string, digest: string): Promise<Identity> {
    const examined = await examiner.examine(token, digest);
    if (examined.outcome === 'refused') {
      throw tokenRefused(challenge('invalid_token', mcpRules ? describeRefusal(examined.reason) : undefined));
    }
    if (examined.outcome === 'unavailable') throw providerUnavailable(examined.cause);
    return examined.identity;
  }

  return {
    async verify(ctx, next) {
      const identity = authenticate(ctx.req);
      identities.set(ctx, identity instanceof Promise ? await identity : identity);
      return next();
    },
    identify: (ctx) => identities.get(ctx),
    protectedResource: describeResource(config, settings, scopes),
    logins: () => logins,
    explainToken: (token) => examiner.explain(token),
    checkOnline: (signal) => findTenantlessIssuers(config, providers, signal),
    async warmUp() {
      await Promise.all(providers.map((provider) => provider.warmUp()));
    },
    async close() {
      await Promise.all(providers.map((provider) => provider.close()));
    },
  };
}

/** Returns the metadata of the protected resource (RFC 9728) that follows from the configuration. */
function describeResource(
  config: OauthConfig,
  settings: readonly ProviderSettings[],
  scopes: readonly string[],
): AuthProvider['protectedResource'] {
  const publicClients = publicClientsOf(config);
  return {
    ...(config.resourceUrl === undefined ? {} : { resource: config.resourceUrl }),
    authorizationServers: [...new Set(settings.flatMap(({ issuerUrl }) => issuerUrl ?? []))],
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(publicClients.length === 0 ? {} : { publicClients }),
  };
}

function loginsOf(
  settings: ProviderSettings,
  context: PluginContext,
  timing: Timing,
): readonly ProviderLogin[] {
  return settings.login === undefined ? [] : [new ProviderLogin(settings, settings.login, context, timing)];
}

function publicClientsOf({ providers = [] }: OauthConfig): readonly PublicClient[] {
  return providers.flatMap(({ issuerUrl, login }) => {
    if (login?.publicClientId === undefined) return [];
    const { publicClientId, scopes, parameters, token } = login;
    const more = Object.keys(parameters).length === 0 ? {} : { parameters };
    return [{ issuer: issuerUrl, clientId: publicClientId, scopes, ...more, token }];
  });
}
