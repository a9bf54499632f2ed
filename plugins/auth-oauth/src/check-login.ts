import type { KindProblem } from '@portolan/plugin-api';
import type { LoginConfig } from './oauth-config.ts';

/** What is wrong with how people log in, one problem for each place below `login`. */
export function checkLogin(login: LoginConfig): readonly KindProblem[] {
  const { publicClientId, parameters } = login;
  return [
    ...(publicClientId === undefined ? [CLIENT_MISSING] : []),
    ...Object.keys(parameters)
      .filter((name) => OWN_PARAMETERS.has(name))
      .map((name) => ({
        place: `parameters.${name}`,
        found: 'a parameter that each login has of its own',
        expected: 'none of this name',
      })),
  ];
}

const CLIENT_MISSING: KindProblem = { place: 'publicClientId', found: 'nothing', expected: 'a value' };

/** Those of the authorization request that a login makes itself, or that would replace all of them. */
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
