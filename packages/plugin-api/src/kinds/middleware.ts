import type { Middleware } from 'koa';
import type { ConfigBlock } from '../config-schema.ts';
import type { Host } from './host.ts';
import type { Kind } from './kind.ts';

/** Koa middleware that a plugin inserts next to a named step of a host. */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface MiddlewareKind<Block extends ConfigBlock = any> extends Kind<Block, PlacedMiddleware> {
  /** Hosts that support this middleware. Any other host rejects a configuration that uses it. */
  readonly hosts: readonly Host[];
  /** Step of the host next to which the middleware is inserted. */
  readonly placed: { readonly before: string } | { readonly after: string };
}

export type PlacedMiddleware = Middleware & {
  /** Reopens files on SIGHUP, after a log rotation. */
  reopen?(): Promise<void>;
  /** Called once, when the host stops. */
  close?(): Promise<void>;
};
