import { resolve } from 'node:path';
import type { OpenFetch, PluginContext } from '@portolan/plugin-api';
import { checkSettings } from './check-settings.ts';
import { settingsInvalid } from '../errors.ts';
import { FileText } from './file-text.ts';
import {
  type ListedProvider,
  type LoginConfig,
  type OauthConfig,
  type ProviderConfig,
  providersIn,
} from './oauth-config.ts';

export interface ProviderSettings {
  readonly name: string;
  /** Issuer as configured. Undefined: the issuer of tokens is not compared. */
  readonly issuerUrl: string | undefined;
  /**
   * Required audience. Undefined with `clientIds`: tokens must have no `aud`. Undefined without: any audience
   * is accepted.
   */
  readonly audience: string | undefined;
  readonly clientIds: readonly string[] | undefined;
  readonly jwksUrl: string | undefined;
  readonly introspectionUrl: string | undefined;
  readonly clientId: string | undefined;
  readonly clientSecret: FileText | string | undefined;
  readonly authToken: FileText | undefined;
  readonly allowInsecure: boolean;
  readonly connection: ProviderConnection;
  /** Settings for logins on pages. Undefined when users do not log in with this provider. */
  readonly login: LoginSettings | undefined;
}

export interface ProviderConnection extends OpenFetch {
  /** Separate `fetch` for redirects to another origin. It never connects to loopback. */
  readonly fetchElsewhere: typeof globalThis.fetch;
}

export interface LoginSettings
  extends Pick<LoginConfig, 'scopes' | 'parameters' | 'token' | 'authorizationUrl' | 'tokenUrl'> {
  readonly clientId: string;
  readonly clientSecret: FileText | undefined;
}

type OpeningContext = Pick<PluginContext, 'openFetch' | 'directory' | 'trustsLoopback'>;

/**
 * Checks the settings and opens a fetch for each provider. Throws ERR_OAUTH_CONFIG with all problems, and
 * errors of reading and opening. On an error, closes what was opened.
 */
export async function openProviderSettings(
  config: OauthConfig,
  context: OpeningContext,
): Promise<readonly ProviderSettings[]> {
  const problems = checkSettings(config, context);
  if (problems.length > 0) throw settingsInvalid(problems);
  const opened: ProviderSettings[] = [];
  try {
    for (const { provider } of providersIn(config)) {
      opened.push(await openProvider(provider, config.allowInsecureIssuers, context));
    }
  } catch (error) {
    for (const { connection } of opened) await connection.close();
    throw error;
  }
  return opened;
}

async function openProvider(
  config: ProviderConfig | ListedProvider,
  allowInsecure: boolean,
  context: OpeningContext,
): Promise<ProviderSettings> {
  const file = (path: string | undefined): FileText | undefined =>
    path === undefined ? undefined : new FileText(resolve(context.directory, path));
  const { name, issuerUrl, audience, clientIds, jwksUrl, introspectionUrl, clientId } = config;
  const login = 'login' in config ? config.login : undefined;
  const ca = await file(config.caCertPath)?.read();
  return {
    name,
    issuerUrl,
    audience,
    clientIds,
    jwksUrl,
    introspectionUrl,
    clientId,
    clientSecret: config.clientSecret ?? file(config.clientSecretFile),
    login:
      login?.clientId === undefined
        ? undefined
        : { ...login, clientId: login.clientId, clientSecret: file(login.clientSecretFile) },
    authToken: file(config.authTokenFile),
    allowInsecure,
    connection: await openConnection(config, context, ca),
  };
}

/**
 * Opens the connections of a provider. Loopback addresses from the configuration file are trusted; loopback
 * addresses in documents and redirects are not.
 */
async function openConnection(
  config: ProviderConfig | ListedProvider,
  { openFetch, trustsLoopback }: OpeningContext,
  ca: string | undefined,
): Promise<ProviderConnection> {
  const { issuerUrl, jwksUrl, introspectionUrl, allowPrivateIP: allowPrivateAddresses } = config;
  const login = 'login' in config ? config.login : undefined;
  const named = [issuerUrl, jwksUrl, introspectionUrl, login?.tokenUrl].filter((url) => url !== undefined);
  const trust = ca === undefined ? {} : { ca };
  const isNarrow = trustsLoopback && !allowPrivateAddresses;
  const first = await openFetch({
    allowPrivateAddresses,
    ...trust,
    ...(isNarrow ? { loopbackFor: named } : {}),
  });
  const elsewhere = isNarrow ? first : await openFetch({ allowPrivateAddresses, ...trust, loopbackFor: [] });
  return {
    fetch: first.fetch,
    fetchElsewhere: elsewhere.fetch,
    close: async () => void (await Promise.all([first.close(), elsewhere.close()])),
  };
}
