import type { Middleware } from 'koa';
import type { ConfigBlock } from '../config-schema.ts';
import type { Host } from './host.ts';
import type { Kind } from './kind.ts';

/** Koa middleware that a plugin inserts next to a named step of a host. */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface MiddlewareKind<Block extends ConfigBlock = any> extends Kind<Block, PlacedMiddleware> {
  /** Supported hosts. Others reject a configuration that uses it. */
  readonly hosts: readonly Host[];
  /** Name of the step. */
  readonly placed: { readonly before: string } | { readonly after: string };
}

export type PlacedMiddleware = Middleware & {
  /** Reopens files on SIGHUP, after a log rotation. */
  reopen?(): Promise<void>;
  /** Called once, when the host stops. */
  close?(): Promise<void>;
};
