import type { PageRequest } from '@portolan/plugin-api';

/** Who looks at a page. */
export interface Visitor {
  /** What requests of the API are sent with; undefined for a caller without a token. */
  readonly authorization: string | undefined;
  /** What to call them; undefined where nobody is logged in. */
  readonly name: string | undefined;
  /** What every form sends as `csrf`. */
  readonly csrf: string;
  /** Where they can log in; undefined where they are, or where there is no way to. */
  readonly loginPath: string | undefined;
}

/** Whoever sends a token with the request itself, as a proxy before the server may, or nobody. */
export function visitor({ headers }: PageRequest): Promise<Visitor> {
  const { authorization } = headers;
  return Promise.resolve({
    authorization: typeof authorization === 'string' ? authorization : undefined,
    name: undefined,
    csrf: '',
    loginPath: undefined,
  });
}
