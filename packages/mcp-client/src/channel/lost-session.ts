import { isJsonObject, memberOf } from '@portolan/mcp-protocol';

const METHOD_NOT_FOUND = -32601;
/** Code by which the official SDKs refuse a request of an unknown session. */
const BAD_REQUEST = -32000;

/**
 * Returns whether an error response to a request with a session id says that the server does not know the
 * session. Many servers respond with status 400 instead of 404.
 */
export function saysSessionLost(status: number, body: string): boolean {
  if (status !== 404 && status !== 400) return false;
  const error = errorIn(body);
  const code = memberOf(error, 'code');
  if (status === 404) return code !== METHOD_NOT_FOUND;
  const message = memberOf(error, 'message');
  const words = typeof message === 'string' ? message : '';
  return code === BAD_REQUEST && /\bsession\b|\bnot initialized\b/i.test(words);
}

function errorIn(body: string): Readonly<Record<string, unknown>> | undefined {
  if (body.length > MAX_ERROR_LENGTH || !body.trimStart().startsWith('{')) return undefined;
  try {
    const parsed: unknown = JSON.parse(body);
    const error = isJsonObject(parsed) ? memberOf(parsed, 'error') : undefined;
    return isJsonObject(error) ? error : undefined;
  } catch {
    return undefined;
  }
}

/** Maximum length of an error body that is read as JSON. */
const MAX_ERROR_LENGTH = 16_384;
