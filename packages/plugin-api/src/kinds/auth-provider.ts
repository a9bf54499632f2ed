import type { Context, Middleware } from 'koa';
import type { Identity } from '../claims.ts';
import type { ConfigBlock } from '../config-schema.ts';
import type { Kind } from './kind.ts';

/** The kind's name is a value of `auth.mode`; its block stands below `auth` under that name. */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface AuthProviderKind<Block extends ConfigBlock = any> extends Kind<Block, AuthProvider> {
  /** False when requests carry no identity at all, so that claims and roles cannot be checked. */
  readonly identifies: boolean;
}

export interface AuthProvider {
  /** Goes on when the credential is good, throws with status 401 when it is not, as koa-jwt does. */
  readonly verify: Middleware;
  /** Who was verified; undefined is nobody. */
  identify(ctx: Context): Identity | undefined;
  close?(): Promise<void>;
}
