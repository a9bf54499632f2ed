import { expiryOf } from './access-token.ts';

/** As whom a registry is asked. */
export interface RegistryAccess {
  /** Where tokens come from: there are none, the user has named one, or somebody has logged in. */
  readonly from: 'nowhere' | 'user' | 'login';
  /** Tells whose answers are whose, for what is kept of them: the same for all tokens of one login. */
  readonly who: string | undefined;
  /** When the token that the user named expires, as it says itself. */
  readonly expiresAt?: Date | undefined;
  /** The token for the next request; undefined: it carries none. Throws ERR_LOGIN_EXPIRED and ERR_LOGIN_TOKEN of a login. */
  token(): Promise<string | undefined>;
  /** The registry has refused this token: another one; undefined where there is none. Throws as `token`. */
  renewed(refused: string): Promise<string | undefined>;
}

/** Access with one token, or without any. */
export function accessWith(token: string | undefined): RegistryAccess {
  return {
    from: token === undefined ? 'nowhere' : 'user',
    who: token,
    expiresAt: token === undefined ? undefined : expiryOf(token),
    token: async () => token,
    renewed: async () => undefined,
  };
}

/** What an answer was refused with, where it was refused for its token. */
const REFUSED = 401;

/**
 * Asks with the token of an access; an answer that refuses it is followed once
 * by the same request with another token, where there is one.
 */
export async function askWithAccess<Answer extends { readonly status: number }>(
  access: RegistryAccess,
  ask: (token: string | undefined) => Promise<Answer>,
): Promise<Answer> {
  const token = await access.token();
  const answer = await ask(token);
  if (answer.status !== REFUSED || token === undefined) return answer;
  const other = await access.renewed(token);
  return other === undefined ? answer : await ask(other);
}
