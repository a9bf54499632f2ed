import type { Middleware } from 'koa';
import type { ConfigBlock } from '../config-schema.ts';
import type { Kind } from './kind.ts';

/** Koa middleware that a plugin puts beside a named step of a host. */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface MiddlewareKind<Block extends ConfigBlock = any> extends Kind<Block, Middleware> {
  readonly host: 'registry-server';
  /** A step's name. */
  readonly placed: { readonly before: string } | { readonly after: string };
}
