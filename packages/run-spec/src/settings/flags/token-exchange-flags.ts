import { SUBJECT_TOKEN_TYPES } from '../../run-config/choices.ts';
import type { FlagRow } from '../flag-row.ts';

/**
 * Flags for the exchange of callers' tokens. `checkTokenExchangeFlags` checks which of them require each
 * other.
 */
export const TOKEN_EXCHANGE_FLAGS = {
  tokenExchangeUrl: {
    flag: 'token-exchange-url',
    is: 'text',
    group: 'TOKEN EXCHANGE',
    description: 'token endpoint that exchanges the token of the caller for a token of the server (RFC 8693)',
    helpValue: 'URL',
    field: 'token_exchange_config.token_url',
    setting: { default: undefined },
  },
  tokenExchangeAudience: {
    flag: 'token-exchange-audience',
    is: 'text',
    group: 'TOKEN EXCHANGE',
    description: 'audience of the exchanged token',
    helpValue: 'AUDIENCE',
    field: 'token_exchange_config.audience',
    setting: { default: undefined },
  },
  tokenExchangeClientId: {
    flag: 'token-exchange-client-id',
    is: 'text',
    group: 'TOKEN EXCHANGE',
    description: 'client ID for the exchange',
    helpValue: 'ID',
    field: 'token_exchange_config.client_id',
    setting: { default: undefined },
  },
  tokenExchangeClientSecret: {
    flag: 'token-exchange-client-secret',
    is: 'text',
    group: 'TOKEN EXCHANGE',
    description:
      'client secret, or NAME,target=… of the secret store; else PORTOLAN_TOKEN_EXCHANGE_CLIENT_SECRET',
    helpValue: 'SECRET',
    field: 'token_exchange_config.client_secret',
  },
  tokenExchangeClientSecretFile: {
    flag: 'token-exchange-client-secret-file',
    is: 'text',
    group: 'TOKEN EXCHANGE',
    description: 'file with the client secret',
    helpValue: 'FILE',
    field: 'token_exchange_config.client_secret',
    names: 'files',
  },
  tokenExchangeHeaderName: {
    flag: 'token-exchange-header-name',
    is: 'text',
    group: 'TOKEN EXCHANGE',
    description: "header for the exchanged token, in addition to the caller's Authorization",
    fallback: 'Authorization',
    helpValue: 'NAME',
    field: 'token_exchange_config.external_token_header_name',
    setting: { default: undefined },
  },
  tokenExchangeScopes: {
    flag: 'token-exchange-scopes',
    is: 'list',
    group: 'TOKEN EXCHANGE',
    description: 'scopes to request, separated by commas; repeatable',
    helpValue: 'SCOPE,SCOPE',
    field: 'token_exchange_config.scopes',
    setting: { default: undefined },
  },
  tokenExchangeSubjectTokenType: {
    flag: 'token-exchange-subject-token-type',
    choices: SUBJECT_TOKEN_TYPES,
    is: 'text',
    group: 'TOKEN EXCHANGE',
    description: "type of the callers' tokens: access_token, id_token, jwt",
    fallback: 'access_token',
    helpValue: 'TYPE',
    field: 'token_exchange_config.subject_token_type',
    setting: { default: undefined },
  },
} as const satisfies Readonly<Record<string, FlagRow>>;
