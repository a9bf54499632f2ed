import { findHeaderFault } from '@portolan/outbound';
import { parseChoice } from '../check-setting.ts';
import type { FlagRow } from '../flag-row.ts';
import { badSetting } from '../settings-errors.ts';

const SUBJECT_TOKEN_TYPES = ['access_token', 'id_token', 'jwt'] as const;

/** The exchange of callers' tokens. What they need of each other is in `checkTokenExchangeFlags`. */
export const TOKEN_EXCHANGE_FLAGS = {
  tokenExchangeUrl: {
    flag: 'token-exchange-url',
    is: 'text',
    group: 'TOKEN EXCHANGE',
    description: "token endpoint that gives a token for the server in place of the caller's (RFC 8693)",
    helpValue: 'URL',
    field: 'token_exchange_config.token_url',
    setting: { default: undefined, check: checkUrl },
  },
  tokenExchangeAudience: {
    flag: 'token-exchange-audience',
    is: 'text',
    group: 'TOKEN EXCHANGE',
    description: 'for whom that token is to be',
    helpValue: 'AUDIENCE',
    field: 'token_exchange_config.audience',
    setting: { default: undefined, check: checkFilled },
  },
  tokenExchangeClientId: {
    flag: 'token-exchange-client-id',
    is: 'text',
    group: 'TOKEN EXCHANGE',
    description: 'client that exchanges tokens',
    helpValue: 'ID',
    field: 'token_exchange_config.client_id',
    setting: { default: undefined, check: checkFilled },
  },
  tokenExchangeClientSecret: {
    flag: 'token-exchange-client-secret',
    is: 'text',
    group: 'TOKEN EXCHANGE',
    description:
      'its secret, or NAME,target=… of the secret store; else PORTOLAN_TOKEN_EXCHANGE_CLIENT_SECRET',
    helpValue: 'SECRET',
    field: 'token_exchange_config.client_secret',
  },
  tokenExchangeClientSecretFile: {
    flag: 'token-exchange-client-secret-file',
    is: 'text',
    group: 'TOKEN EXCHANGE',
    description: 'file that holds its secret',
    helpValue: 'FILE',
    field: 'token_exchange_config.client_secret',
  },
  tokenExchangeHeaderName: {
    flag: 'token-exchange-header-name',
    is: 'text',
    group: 'TOKEN EXCHANGE',
    description: "header for the server's token, beside the caller's own",
    fallback: 'Authorization',
    helpValue: 'NAME',
    field: 'token_exchange_config.external_token_header_name',
    setting: { default: undefined, check: checkHeaderName },
  },
  tokenExchangeScopes: {
    flag: 'token-exchange-scopes',
    is: 'list',
    group: 'TOKEN EXCHANGE',
    description: 'scopes that are asked for, separated by commas; repeatable',
    helpValue: 'SCOPE,SCOPE',
    field: 'token_exchange_config.scopes',
    setting: { default: undefined, check: checkScopes },
  },
  tokenExchangeSubjectTokenType: {
    flag: 'token-exchange-subject-token-type',
    choices: SUBJECT_TOKEN_TYPES,
    is: 'text',
    group: 'TOKEN EXCHANGE',
    description: 'what callers send: access_token, id_token, jwt',
    fallback: 'access_token',
    helpValue: 'TYPE',
    field: 'token_exchange_config.subject_token_type',
    setting: {
      default: undefined,
      check: (text, place): string => parseChoice(text, place, SUBJECT_TOKEN_TYPES),
    },
  },
} as const satisfies Readonly<Record<string, FlagRow>>;

function checkUrl(text: string, place: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return text;
  throw badSetting(place, text, 'an https URL');
}

function checkFilled(text: string, place: string): string {
  if (text.trim() !== '') return text;
  throw badSetting(place, text, 'a value');
}

function checkScopes(scopes: readonly string[], place: string): readonly string[] {
  const wrong = scopes.find((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));
  if (wrong === undefined) return scopes;
  throw badSetting(place, wrong, 'scopes without spaces in them');
}

function checkHeaderName(name: string, place: string): string {
  if (/^authorization$/i.test(name) || findHeaderFault(name, 'x') !== undefined) {
    throw badSetting(
      place,
      name,
      'the name of a header that is not used otherwise, such as X-Upstream-Token',
    );
  }
  return name;
}
