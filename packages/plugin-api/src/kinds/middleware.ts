import type { Middleware } from 'koa';
import type { ConfigBlock } from '../config-schema.ts';
import type { Host } from './host.ts';
import type { Kind } from './kind.ts';

/** Koa middleware that a plugin inserts next to a named step of a host. */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface MiddlewareKind<Block extends ConfigBlock = any> extends Kind<Block, PlacedMiddleware> {
  /** Hosts that it supports. The configuration of another host that uses it is rejected. */
  readonly hosts: readonly Host[];
  /** Name of the step. */
  readonly placed: { readonly before: string } | { readonly after: string };
}

/** Instance of a middleware kind: a function with optional lifecycle functions. */
export type PlacedMiddleware = Middleware & {
  /** Closes and reopens files on SIGHUP, after a log rotation. */
  reopen?(): Promise<void>;
  /** Closes its resources. Called once, when the host stops. */
  close?(): Promise<void>;
};
