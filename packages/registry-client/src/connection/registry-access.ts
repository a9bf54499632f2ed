import { expiryOf } from './access-token.ts';

/** Credentials for a registry. */
export interface RegistryAccess {
  /** Origin of tokens: none, named by the user, or from a login. */
  readonly from: 'nowhere' | 'user' | 'login';
  /** Identifies the caller in caches: equal for all tokens of one login. */
  readonly who: string | undefined;
  /** Expiry of the user's token, as it states itself. */
  readonly expiresAt?: Date | undefined;
  /**
   * Returns the token for the next request; undefined for none. Throws ERR_LOGIN_EXPIRED and ERR_LOGIN_TOKEN
   * of a login.
   */
  token(): Promise<string | undefined>;
  /** Returns another token after the registry rejected this one; undefined for none. Throws like `token`. */
  renewed(refused: string): Promise<string | undefined>;
}

/** Returns credentials with one token, or without any. */
export function accessWith(token: string | undefined): RegistryAccess {
  return {
    from: token === undefined ? 'nowhere' : 'user',
    who: token,
    expiresAt: token === undefined ? undefined : expiryOf(token),
    token: async () => token,
    renewed: async () => undefined,
  };
}

/** Status of a response that rejects the token. */
const REFUSED = 401;

/** Sends a request with a token. After a rejection it retries once with another token, if there is one. */
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
