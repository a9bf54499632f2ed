import { isAbsolute, resolve } from 'node:path';
import type { OpenFetch, PluginContext } from '@portolan/plugin-api';
import { settingsInvalid } from './errors.ts';
import { FileText } from './file-text.ts';
import type { OauthConfig, ProviderConfig } from './oauth-config.ts';
import { findUrlProblem, trimIssuer } from './url-rules.ts';

/** A provider's settings, checked, with its own connections. */
export interface ProviderSettings {
  readonly name: string;
  /** As configured. */
  readonly issuerUrl: string;
  readonly audience: string;
  readonly jwksUrl: string | undefined;
  readonly introspectionUrl: string | undefined;
  readonly clientId: string | undefined;
  readonly clientSecret: FileText | undefined;
  readonly authToken: FileText | undefined;
  readonly allowInsecure: boolean;
  readonly connection: OpenFetch;
}

/**
 * Checks what the schema cannot say, reads every file once, and opens a fetch
 * for each provider. Throws ERR_OAUTH_CONFIG with all problems; then nothing
 * stays open.
 */
export async function openProviderSettings(
  config: OauthConfig,
  context: Pick<PluginContext, 'openFetch' | 'directory'>,
): Promise<readonly ProviderSettings[]> {
  const problems = [...findResourceProblems(config), ...findRepeatedProviders(config)];
  const opened: ProviderSettings[] = [];
  for (const [index, provider] of config.providers.entries()) {
    const found = await openProvider(provider, config.allowInsecureIssuers, context);
    problems.push(...found.problems.map((problem) => `providers[${index}].${problem}`));
    if (found.settings !== undefined) opened.push(found.settings);
  }
  if (problems.length === 0) return opened;
  for (const { connection } of opened) await connection.close();
  throw settingsInvalid(problems);
}

function findResourceProblems({ resourceUrl }: OauthConfig): readonly string[] {
  if (resourceUrl === undefined) return [];
  if (!URL.canParse(resourceUrl)) return ['resourceUrl is no absolute address'];
  const { protocol, username, password, search, hash } = new URL(resourceUrl);
  if (protocol !== 'https:' && protocol !== 'http:') return ['resourceUrl is neither https nor http'];
  return username + password + search + hash === '' && !resourceUrl.includes('#')
    ? []
    : ['resourceUrl has more than a host and a path'];
}

/** Of two providers for the same tokens nobody could say which one decides. */
function findRepeatedProviders({ providers }: OauthConfig): readonly string[] {
  const names = new Set<string>();
  const tokens = new Set<string>();
  return providers.flatMap(({ name, issuerUrl, audience }, index) => {
    const token = JSON.stringify([trimIssuer(issuerUrl), audience]);
    const problems = [
      ...(names.has(name) ? [`providers[${index}].name "${name}" is already taken`] : []),
      ...(tokens.has(token) ? [`providers[${index}] has issuer and audience of another provider`] : []),
    ];
    names.add(name);
    tokens.add(token);
    return problems;
  });
}

async function openProvider(
  config: ProviderConfig,
  allowInsecure: boolean,
  { openFetch, directory }: Pick<PluginContext, 'openFetch' | 'directory'>,
): Promise<{ readonly problems: readonly string[]; readonly settings?: ProviderSettings }> {
  const problems: string[] = [...findAddressProblems(config, allowInsecure), ...findClientProblems(config)];
  const attempt = async <Result>(key: string, action: () => Promise<Result>): Promise<Result | undefined> => {
    try {
      return await action();
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      problems.push(`${key}: ${what.replace(/\.$/, '')}`);
      return undefined;
    }
  };
  const file = (path: string | undefined): FileText | undefined =>
    path === undefined ? undefined : new FileText(resolve(directory, path));
  const clientSecret = file(config.clientSecretFile);
  const authToken = file(config.authTokenFile);
  const authorities = file(config.caCertPath);
  await attempt('clientSecretFile', async () => clientSecret?.readCredential());
  await attempt('authTokenFile', async () => authToken?.readCredential());
  const connection = await attempt('caCertPath', async () => {
    const ca = await authorities?.read();
    return openFetch({ allowPrivateAddresses: config.allowPrivateIP, ...(ca === undefined ? {} : { ca }) });
  });
  if (connection === undefined) return { problems };
  const { name, issuerUrl, audience, jwksUrl, introspectionUrl, clientId } = config;
  return {
    problems,
    settings: {
      name,
      issuerUrl,
      audience,
      jwksUrl,
      introspectionUrl,
      clientId,
      clientSecret,
      authToken,
      allowInsecure,
      connection,
    },
  };
}

function findAddressProblems(config: ProviderConfig, allowInsecure: boolean): readonly string[] {
  const problems: string[] = [];
  for (const key of ['issuerUrl', 'jwksUrl', 'introspectionUrl'] as const) {
    const text = config[key];
    const problem = text === undefined ? undefined : findUrlProblem(text, allowInsecure);
    if (problem !== undefined) problems.push(`${key} ${problem}`);
  }
  if (/[?#]/.test(config.issuerUrl)) problems.push('issuerUrl has a query or a fragment');
  return problems;
}

function findClientProblems({ clientId, clientSecretFile }: ProviderConfig): readonly string[] {
  if (clientSecretFile === undefined) return [];
  return [
    ...(isAbsolute(clientSecretFile) ? [] : ['clientSecretFile is relative; expected an absolute path']),
    ...(clientId === undefined ? ['clientSecretFile stands without clientId'] : []),
  ];
}
