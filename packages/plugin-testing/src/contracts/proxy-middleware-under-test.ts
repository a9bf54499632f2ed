import type {
  Identity,
  ProxyMiddleware,
  ProxyMiddlewareContext,
  ProxyMiddlewareKind,
} from '@portolan/plugin-api';

export interface ProxyMiddlewareUnderTest {
  /** Stands in the title of the suite. */
  readonly name: string;
  readonly kind: ProxyMiddlewareKind;
  /** Blocks that can be used, with their defaults: the kind's `check` has to find nothing wrong with them. */
  readonly blocks?: readonly unknown[];
  /** Makes an instance; the suite closes it. Called for every test. */
  readonly create: (context: ProxyMiddlewareContext) => ProxyMiddleware | Promise<ProxyMiddleware>;
  /** At least one: messages of clients, and what they are told, with what becomes of them. */
  readonly judged: readonly JudgedSample[];
}

/** One message, and what the middleware makes of it. */
export interface JudgedSample {
  /** Where it comes from. */
  readonly from: 'client' | 'server';
  /** JSON of it, as it is written. */
  readonly text: string;
  /** Who asks; left out: nobody has to say. */
  readonly caller?: Identity;
  /** Of what a server says: JSON of the message that it answers. */
  readonly asked?: string;
  /** `passes` as it is, `refused`, answered with this result, or changed to this message. */
  readonly becomes: 'passes' | 'refused' | { readonly result: unknown } | { readonly message: unknown };
}
