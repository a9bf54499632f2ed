import type { Identity } from '@portolan/plugin-api';
import { freezeJson, type JsonObject, textOf } from '../json.ts';

/** Converts claims to an identity. It is frozen, because callers cache results by it. */
export function toIdentity(claims: JsonObject, provider: string): Identity {
  const user = textOf(claims['name']) ?? textOf(claims['preferred_username']) ?? textOf(claims['email']);
  return Object.freeze({
    subject: textOf(claims['sub']) ?? '',
    claims: freezeJson(claims),
    ...(user === undefined ? {} : { user }),
    provider,
  });
}
