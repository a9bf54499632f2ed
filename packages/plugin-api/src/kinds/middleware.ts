import type { Middleware } from 'koa';
import type { ConfigBlock } from '../config-schema.ts';
import type { Host } from './host.ts';
import type { Kind } from './kind.ts';

/** Koa middleware that a plugin puts beside a named step of a host. */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface MiddlewareKind<Block extends ConfigBlock = any> extends Kind<Block, PlacedMiddleware> {
  /** The programs whose steps it stands beside. A configuration of another one that names it is refused. */
  readonly hosts: readonly Host[];
  /** A step's name. */
  readonly placed: { readonly before: string } | { readonly after: string };
}

/** What a middleware kind creates: a function that may have more to it. */
export type PlacedMiddleware = Middleware & {
  /** Closes files and opens them again: the host was told to (SIGHUP), after a log was rotated. */
  reopen?(): Promise<void>;
  /** Closes what it opened; called once, when the host stops. */
  close?(): Promise<void>;
};
