import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { isLoopbackHost, isPublicAddress } from '@portolan/outbound';
import type { KindProblem } from '@portolan/plugin-api';
import { checkLogin } from './check-login.ts';
import { asksGoogle } from '../tokens/introspection-dialect.ts';
import { findAuthoritiesFault, findCredentialFault } from './find-file-fault.ts';
import { type ListedProvider, type OauthConfig, type ProviderConfig, providersIn } from './oauth-config.ts';
import { isCredential } from './file-text.ts';
import { examine, findSecretFault } from './setting-fault.ts';
import { findIssuerFault, findResourceFault, findUrlFault, trimIssuer } from '../url-rules.ts';

/**
 * Returns problems that the schema cannot find, one for each place: addresses, files, and conflicts of two
 * providers. Relative paths start at `directory`.
 */
export function checkSettings(
  config: OauthConfig,
  { directory, trustsLoopback }: { readonly directory: string; readonly trustsLoopback: boolean },
): readonly KindProblem[] {
  const { resourceUrl, allowInsecureIssuers } = config;
  const all = providersIn(config);
  return [
    ...examine('resourceUrl', resourceUrl, findResourceFault),
    ...all.flatMap(({ place, provider }, index) => [
      ...findRepeats(
        all.map((each) => each.provider),
        index,
      ),
      ...checkProvider(provider, {
        allowInsecure: allowInsecureIssuers,
        directory,
        trustsLoopback,
        isListed: place !== 'provider',
      }).map((problem) => ({
        ...problem,
        place: `${place}.${problem.place}`,
      })),
    ]),
    ...(config.providers ?? []).flatMap(({ login }, index) =>
      (login === undefined ? [] : checkLogin(login, allowInsecureIssuers)).map((problem) => ({
        ...problem,
        place: `providers[${index}].login.${problem.place}`,
      })),
    ),
  ];
}

/** Finds providers that accept the same tokens, because it would be unclear which one decides. */
function findRepeats(providers: readonly ProviderConfig[], index: number): readonly KindProblem[] {
  const provider = providers[index];
  const name = providers.findIndex((other) => other.name === provider?.name);
  const tokens = providers.findIndex((other) => acceptsTokensOf(other, provider));
  const ofName = {
    place: `providers[${index}].name`,
    found: `${JSON.stringify(provider?.name)}, as in providers[${name}]`,
    expected: 'a unique name',
  };
  const ofTokens = {
    place: `providers[${index}]`,
    found: `issuer, audience and clients of providers[${tokens}]`,
    expected: 'another issuer, another audience or other clients',
  };
  return [...(name === index ? [] : [ofName]), ...(tokens === index ? [] : [ofTokens])];
}

function acceptsTokensOf(one: ProviderConfig | undefined, other: ProviderConfig | undefined): boolean {
  if (tokensOf(one) !== tokensOf(other)) return false;
  const [ofOne, ofOther] = [one?.clientIds, other?.clientIds];
  return ofOne === undefined || ofOther === undefined || ofOne.some((id) => ofOther.includes(id));
}

function tokensOf(provider: ProviderConfig | undefined): string {
  const { issuerUrl, audience, jwksUrl, introspectionUrl } = provider ?? {};
  const source = issuerUrl === undefined ? [jwksUrl, introspectionUrl] : trimIssuer(issuerUrl);
  return JSON.stringify([source, audience ?? null]);
}

interface ProviderRules {
  /** Whether the provider is an item of `providers`, where `anyAudience` is not supported. */
  readonly isListed: boolean;
  readonly allowInsecure: boolean;
  readonly directory: string;
  readonly trustsLoopback: boolean;
}

function checkProvider(
  config: ProviderConfig | ListedProvider,
  { allowInsecure, directory, trustsLoopback, isListed }: ProviderRules,
): readonly KindProblem[] {
  const { issuerUrl, jwksUrl, introspectionUrl, clientId, clientSecretFile, clientSecret } = config;
  const inFolder = (path: string): string => resolve(directory, path);
  const secret = clientSecretFile === undefined ? 'clientSecret' : 'clientSecretFile';
  const hasSecret = clientSecretFile !== undefined || clientSecret !== undefined;
  return [
    ...checkVerifier(config),
    ...checkAudience(config, isListed),
    ...examine('issuerUrl', issuerUrl, (text) => findIssuerFault(text, allowInsecure)),
    ...examine('jwksUrl', jwksUrl, (text) => findUrlFault(text, allowInsecure)),
    ...examine('introspectionUrl', introspectionUrl, (text) => findUrlFault(text, allowInsecure)),
    ...checkReach(config, trustsLoopback),
    ...(hasSecret && clientId === undefined ? [clientMissing(secret)] : []),
    ...(clientSecretFile !== undefined && clientSecret !== undefined ? [SECRET_TWICE] : []),
    ...examine('clientSecret', clientSecret, findSecretTextFault),
    ...examine('clientSecretFile', clientSecretFile, findSecretFault),
    ...examine('caCertPath', config.caCertPath, (path) => findAuthoritiesFault(inFolder(path))),
    ...examine('authTokenFile', config.authTokenFile, (path) => findCredentialFault(inFolder(path))),
  ];
}

function checkVerifier({ issuerUrl, jwksUrl, introspectionUrl }: ProviderConfig): readonly KindProblem[] {
  if (issuerUrl !== undefined || jwksUrl !== undefined || introspectionUrl !== undefined) return [];
  return [{ place: 'issuerUrl', found: 'nothing', expected: 'a value, or jwksUrl, or introspectionUrl' }];
}

function checkAudience(provider: ProviderConfig | ListedProvider, isListed: boolean): readonly KindProblem[] {
  const { audience, clientIds, introspectionUrl } = provider;
  const anyAudience = 'anyAudience' in provider && (provider.anyAudience ?? false);
  const named = audience !== undefined ? 'audience' : clientIds !== undefined ? 'clientIds' : undefined;
  if (anyAudience && named !== undefined) {
    return [{ place: 'anyAudience', found: `true together with ${named}`, expected: 'only one of the two' }];
  }
  if (named !== undefined) return [];
  if (!anyAudience) {
    const expected = isListed ? 'a value, or clientIds' : 'a value, or clientIds, or anyAudience';
    return [{ place: 'audience', found: 'nothing', expected }];
  }
  // Google's endpoint accepts tokens of all clients.
  if (introspectionUrl === undefined || !URL.canParse(introspectionUrl) || !asksGoogle(introspectionUrl))
    return [];
  return [
    {
      place: 'audience',
      found: 'nothing',
      expected: 'a value, because Google accepts tokens of all clients',
    },
  ];
}

/**
 * Returns a problem for each endpoint whose address is forbidden as written. IP addresses of host names are
 * checked only at the request.
 */
function checkReach(
  provider: ProviderConfig | ListedProvider,
  trustsLoopback: boolean,
): readonly KindProblem[] {
  const { issuerUrl, jwksUrl, introspectionUrl, allowPrivateIP } = provider;
  if (allowPrivateIP) return [];
  const login = 'login' in provider ? provider.login : undefined;
  const discovers =
    jwksUrl === undefined ||
    (login?.clientId !== undefined && (login.authorizationUrl === undefined || login.tokenUrl === undefined));
  const request = {
    ...(discovers ? { issuerUrl } : {}),
    ...(jwksUrl === undefined ? {} : { jwksUrl }),
    introspectionUrl,
    'login.tokenUrl': login?.tokenUrl,
  };
  const [first] = Object.entries(request).filter(
    ([, text]) => text !== undefined && isForbidden(text, trustsLoopback),
  );
  if (first === undefined) return [];
  const expected = `true, since ${first[0]} leads to an address that is not public`;
  return [{ place: 'allowPrivateIP', found: 'false', expected }];
}

function isForbidden(text: string, trustsLoopback: boolean): boolean {
  const hostname = URL.parse(text)?.hostname ?? '';
  if (trustsLoopback && isLoopbackHost(hostname)) return false;
  if (/(?:^|\.)localhost\.?$/.test(hostname)) return true;
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) !== 0 && !isPublicAddress(address);
}

function clientMissing(secret: string): KindProblem {
  return { place: 'clientId', found: 'nothing', expected: `a value, since ${secret} is given` };
}

const SECRET_TWICE: KindProblem = {
  place: 'clientSecret',
  found: 'a value together with clientSecretFile',
  expected: 'only one of the two',
};

function findSecretTextFault(text: string): Omit<KindProblem, 'place'> | undefined {
  if (isCredential(text)) return undefined;
  return { found: 'a value with other characters', expected: 'one line of printable ASCII characters' };
}
