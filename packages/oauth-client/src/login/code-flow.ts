import type * as openid from 'openid-client';
import { isPortolanError } from '@portolan/plugin-api';
import { loginRefused, loginUnreachable } from '../errors.ts';
import { knowsIssuer, loadOpenid } from '../registration/oauth-client.ts';
import { isTransient, isUnanswered } from '../tokens/transient-error.ts';
import { type TokenSet, tokenSetOf } from '../tokens/token-set.ts';

export interface CodeFlowRequest {
  readonly redirectUri: string;
  readonly scopes: readonly string[] | undefined;
  readonly scopeParamName: string;
  /**
   * Resource for token requests (RFC 8707). Undefined when the server learns the token's audience in another
   * way.
   */
  readonly resource: string | undefined;
  readonly extra: Readonly<Record<string, string>>;
  /** Whether an ID token must prove that it was issued for this login. */
  readonly wantsIdToken?: boolean;
}

export interface LoginProof {
  readonly state: string;
  readonly verifier: string;
  readonly nonce: string | undefined;
}

export interface CodeFlow {
  readonly url: URL;
  readonly proof: LoginProof;
  /**
   * Checks the redirect and exchanges its code for tokens. Throws ERR_LOGIN_REFUSED for another state or
   * issuer and a refusal of the server, and ERR_LOGIN_UNREACHABLE.
   */
  finish(redirect: URL, now: () => Date): Promise<TokenSet>;
}

/** Starts the authorization code flow with PKCE (S256) and a new state. */
export async function beginCodeFlow(
  configuration: openid.Configuration,
  { redirectUri, scopes, scopeParamName, resource, extra, wantsIdToken = false }: CodeFlowRequest,
): Promise<CodeFlow> {
  const {
    buildAuthorizationUrl,
    calculatePKCECodeChallenge,
    randomNonce,
    randomPKCECodeVerifier,
    randomState,
  } = await loadOpenid();
  const verifier = randomPKCECodeVerifier();
  const state = randomState();
  const nonce = wantsIdToken ? randomNonce() : undefined;
  const proof = { state, verifier, nonce };
  const url = buildAuthorizationUrl(configuration, {
    ...extra,
    redirect_uri: redirectUri,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    ...(nonce === undefined ? {} : { nonce }),
    ...(resource === undefined ? {} : { resource }),
    ...(scopes === undefined ? {} : { [scopeParamName]: scopes.join(' ') }),
  });
  const finish = (redirect: URL, now: () => Date): Promise<TokenSet> =>
    finishCodeFlow(configuration, { proof, resource }, redirect, now);
  return { url, proof, finish };
}

/** Completes the flow, possibly in another process. Throws like `CodeFlow.finish`. */
export async function finishCodeFlow(
  configuration: openid.Configuration,
  { proof, resource }: { readonly proof: LoginProof; readonly resource: string | undefined },
  redirect: URL,
  now: () => Date,
): Promise<TokenSet> {
  const redirectUrl = readCallback(redirect, configuration);
  const { authorizationCodeGrant } = await loadOpenid();
  const { verifier, state, nonce } = proof;
  try {
    const tokens = await authorizationCodeGrant(
      configuration,
      redirectUrl,
      {
        pkceCodeVerifier: verifier,
        expectedState: state,
        ...(nonce === undefined ? {} : { expectedNonce: nonce }),
      },
      resource === undefined ? {} : { resource },
    );
    return tokenSetOf(tokens, now());
  } catch (error) {
    throw isPortolanError(error) ? error : refusalOf(error);
  }
}

/**
 * Checks which server sent the redirect, before using anything from it, even an error (RFC 9207, section
 * 2.4).
 */
function readCallback(redirect: URL, configuration: openid.Configuration): URL {
  if (!knowsIssuer(configuration)) {
    const redirectUrl = new URL(redirect);
    redirectUrl.searchParams.delete('iss');
    return redirectUrl;
  }
  const { issuer, authorization_response_iss_parameter_supported: isAnnounced } =
    configuration.serverMetadata();
  const messages = redirect.searchParams.getAll('iss');
  if (messages.length === 0 && isAnnounced !== true) return redirect;
  if (messages.length === 1 && messages[0] === issuer) return redirect;
  throw loginRefused(`the answer came not from ${issuer}, where the login began`, undefined);
}

/** Converts the library's error without the server's free text. A missing response is no refusal. */
export function refusalOf(error: unknown): Error {
  const code = oauthErrorOf(error);
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  if (isTransient(code, status)) return loginUnreachable(code ?? 'it has trouble of its own', error);
  if (code === undefined && isUnanswered(error)) return loginUnreachable(whyOf(error), error);
  if (code === undefined) {
    const what = `the answer of the authorization server cannot be used (${whyOf(error)})`;
    return loginRefused(what, undefined, error);
  }
  if (code === 'access_denied') return loginRefused('the person who was asked said no', code, error);
  return loginRefused('the authorization server says so', code, error);
}

/** Returns the innermost reason of the library, which contains nothing from the server. */
function whyOf(error: unknown): string {
  let first = error;
  while (first instanceof Error && first.cause instanceof Error) first = first.cause;
  const text = first instanceof Error ? first.message : 'without a reason';
  return text.replaceAll(/[^ -~]/g, '?').slice(0, 200);
}

/** Returns the error code of the response (RFC 6749, section 5.2). */
export function oauthErrorOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('error' in error) || typeof error.error !== 'string') return undefined;
  return /^[ !#-[\]-~]{1,100}$/.test(error.error) ? error.error : 'an error';
}
