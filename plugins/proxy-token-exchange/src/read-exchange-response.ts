import { readTokenResponse } from '@portolan/oauth-client';

export interface ExchangedToken {
  readonly value: string;
  /** Lifetime of the token in milliseconds; undefined if the response does not state it. */
  readonly lifetimeMs: number | undefined;
}

/** Matches tokens that are valid after `Bearer` in a header. */
const TOKEN = /^[\x21-\x7e]{1,8000}$/;
/** Matches error codes, which are short; other text is not shown. */
const ERROR_NAME = /^[a-z_]{1,60}$/;

/** Returns the token, or a text with the fault, which shows nothing of the response but an error code. */
export function readExchangeResponse(status: number, bytes: Buffer): ExchangedToken | string {
  const { error, document } = readTokenResponse(status, decode(bytes));
  if (error !== undefined || status < 200 || status > 299) {
    const name = error ?? document?.['error'];
    const message = typeof name === 'string' && ERROR_NAME.test(name) ? ` and ${name}` : '';
    return `it responded with status ${status}${message}`;
  }
  if (document === undefined) return 'its response is not a JSON object';
  const { access_token: value, token_type: type, issued_token_type: issued, expires_in: seconds } = document;
  if (typeof value !== 'string' || !TOKEN.test(value))
    return 'its response has no access_token that fits a header';
  if (typeof type !== 'string' || !/^(?:bearer|n_a)$/i.test(type))
    return 'its response has no token_type Bearer';
  if (typeof issued !== 'string' || issued === '') return 'its response has no issued_token_type';
  const isLifetime = typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0;
  return { value, lifetimeMs: isLifetime ? seconds * 1000 : undefined };
}

/** Decodes UTF-8. Returns an empty text for invalid bytes. */
function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return '';
  }
}
