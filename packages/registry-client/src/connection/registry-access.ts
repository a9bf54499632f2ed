import { expiryOf } from './access-token.ts';

export interface RegistryAccess {
  readonly from: 'nowhere' | 'user' | 'login';
  /** Identifies the caller in caches. All tokens of one login have the same value. */
  readonly who: string | undefined;
  readonly expiresAt?: Date | undefined;
  /** Returns the token for the next request, if any. Throws ERR_LOGIN_EXPIRED and ERR_LOGIN_TOKEN. */
  token(): Promise<string | undefined>;
  /**
   * Returns a different token after the server rejected `refused`; undefined when there is none. Throws like
   * `token`.
   */
  renewed(refused: string): Promise<string | undefined>;
}

export function accessWith(token: string | undefined): RegistryAccess {
  return {
    from: token === undefined ? 'nowhere' : 'user',
    who: token,
    expiresAt: token === undefined ? undefined : expiryOf(token),
    token: async () => token,
    renewed: async () => undefined,
  };
}

const REFUSED = 401;

/**
 * Sends a request. When the server rejects the token, sends it once more with another token, if there is one.
 */
export async function askWithAccess<Answer extends { readonly status: number }>(
  access: RegistryAccess,
  ask: (token: string | undefined) => Promise<Answer>,
): Promise<Answer> {
  const token = await access.token();
  const response = await ask(token);
  if (response.status !== REFUSED || token === undefined) return response;
  const other = await access.renewed(token);
  return other === undefined ? response : await ask(other);
}
