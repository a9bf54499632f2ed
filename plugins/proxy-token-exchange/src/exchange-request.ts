import type { TokenExchangeConfig } from './token-exchange-config.ts';

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:';

/** Returns the form of a token exchange (RFC 8693, section 2.1). */
export function exchangeForm(
  { audience = '', scopes = [], subject_token_type: type }: TokenExchangeConfig,
  subjectToken: string,
): string {
  const form = new URLSearchParams({
    grant_type: GRANT_TYPE,
    subject_token: subjectToken,
    subject_token_type: type.startsWith(TOKEN_TYPE) ? type : `${TOKEN_TYPE}${type || 'access_token'}`,
    requested_token_type: `${TOKEN_TYPE}access_token`,
  });
  if (audience !== '') form.set('audience', audience);
  if (scopes.length > 0) form.set('scope', scopes.join(' '));
  return form.toString();
}

/**
 * Returns the Basic authorization of the client; undefined without id and secret. Form-encodes both parts
 * first (RFC 6749, section 2.3.1).
 */
export function clientAuthorization(id: string, secret: string): string | undefined {
  if (id === '' || secret === '') return undefined;
  return `Basic ${Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString('base64')}`;
}

function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
