import type { KindProblem } from '@portolan/plugin-api';
import type { LoginConfig } from './oauth-config.ts';
import { examine, findSecretFault } from './setting-fault.ts';
import { findUrlFault } from '../url-rules.ts';

export function checkLogin(login: LoginConfig, allowInsecure: boolean): readonly KindProblem[] {
  const { clientId, clientSecretFile, publicClientId, parameters, scopes, token } = login;
  const findFault = (text: string) => findUrlFault(text, allowInsecure);
  return [
    ...(clientId === undefined && publicClientId === undefined ? [CLIENT_MISSING] : []),
    ...(clientId === undefined && clientSecretFile !== undefined ? [CLIENT_OF_SECRET_MISSING] : []),
    ...examine('clientSecretFile', clientSecretFile, findSecretFault),
    ...examine('authorizationUrl', login.authorizationUrl, findFault),
    ...examine('tokenUrl', login.tokenUrl, findFault),
    ...(token === 'id_token' && !scopes.includes('openid') ? [OPENID_MISSING] : []),
    ...Object.keys(parameters)
      .filter((name) => OWN_PARAMETERS.has(name))
      .map((name) => ({
        place: `parameters.${name}`,
        found: 'a parameter that the login itself sets',
        expected: 'no parameter of this name',
      })),
  ];
}

const CLIENT_MISSING: KindProblem = {
  place: 'clientId',
  found: 'nothing',
  expected: 'a value, or publicClientId',
};

const CLIENT_OF_SECRET_MISSING: KindProblem = {
  place: 'clientId',
  found: 'nothing',
  expected: 'a value, since clientSecretFile is given',
};

const OPENID_MISSING: KindProblem = {
  place: 'scopes',
  found: 'a list without "openid"',
  expected: 'a list with "openid", because only then the provider issues an ID token',
};

/**
 * Parameters that users may not configure, because the login sets them itself or they would replace all
 * others.
 */
const OWN_PARAMETERS: ReadonlySet<string> = new Set([
  'client_id',
  'client_secret',
  'code_challenge',
  'code_challenge_method',
  'nonce',
  'redirect_uri',
  'request',
  'request_uri',
  'response_mode',
  'response_type',
  'scope',
  'state',
]);
