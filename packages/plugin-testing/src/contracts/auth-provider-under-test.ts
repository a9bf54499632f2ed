import type { RequestListener } from 'node:http';
import type { AuthProvider, AuthProviderKind, Identity, PluginContext } from '@portolan/plugin-api';

export interface AuthProviderUnderTest {
  /** Stands in the title of the suite. */
  readonly name: string;
  readonly kind: AuthProviderKind;
  /** Blocks that can be used, with their defaults: the kind's `check` has to find nothing wrong with them. */
  readonly blocks?: readonly unknown[];
  /** Makes an instance. Called for every test. */
  readonly create: (context: PluginContext) => AuthProvider | Promise<AuthProvider>;
  /** A new Koa application to try the middleware in: `() => new Koa()`. */
  readonly app: () => KoaApplication;
  /** Requests with a good credential, and who sent them. For a kind that identifies, at least one. */
  readonly accepted?: readonly {
    readonly title: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly identity: Identity;
  }[];
  /** Of a kind that does not identify: whom every request counts as. Left out: nobody. */
  readonly everybody?: Identity;
  /** Requests with a bad credential: expired, for another audience, signed by a stranger. */
  readonly refused?: readonly {
    readonly title: string;
    readonly headers: Readonly<Record<string, string>>;
  }[];
  /** Of a kind that logs people in with a browser: how somebody does. Called for every test. */
  readonly openLogins?: () => Promise<LoginsUnderTest>;
}

/** A provider with at least one way to log in, and somebody who goes there. */
export interface LoginsUnderTest {
  readonly provider: AuthProvider;
  /** Somebody agrees at the address that a login leads to: where their browser is sent. */
  readonly agree: (name: string, url: URL) => URL | Promise<URL>;
  readonly close: () => Promise<void>;
}

/** The part of a Koa application that the suite needs. */
export interface KoaApplication {
  use(middleware: AuthProvider['verify']): unknown;
  callback(): RequestListener;
  on(event: 'error', listener: (error: unknown) => void): unknown;
}
