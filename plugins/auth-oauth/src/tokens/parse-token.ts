import { isJsonObject, type JsonObject } from '../json.ts';

/** A parsed JWT that is not verified. */
export interface ParsedToken {
  readonly header: JsonObject;
  readonly claims: JsonObject;
}

/**
 * Parses a token as a JWT: three parts in base64url, of which the first two are JSON objects in UTF-8. Any
 * other token is opaque.
 */
export function parseToken(token: string): ParsedToken | undefined {
  const [head = '', body = '', ...rest] = token.split('.', 4);
  if (rest.length !== 1) return undefined;
  const header = parsePart(head);
  const claims = parsePart(body);
  return header === undefined || claims === undefined ? undefined : { header, claims };
}

function parsePart(part: string): JsonObject | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(part)) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(part, 'base64url'));
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined; // invalid UTF-8 or JSON means an opaque token
  }
}
