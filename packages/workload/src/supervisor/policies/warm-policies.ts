import type { AuthProvider, Logger, ProxyMiddleware } from '@portolan/plugin-api';
import { required } from '../supervision.ts';

type Warming = Pick<AuthProvider | ProxyMiddleware, 'warmUp'>;

interface WarmedWork {
  readonly context: { readonly logger: Pick<Logger, 'debug'> };
  readonly policies?:
    | Promise<{
        readonly middleware: readonly { readonly instance: Warming }[];
        readonly auth: { readonly authProvider: Warming } | undefined;
      }>
    | undefined;
}

/**
 * Lets policies do slow preparations in the background, so that the first caller need not wait for them.
 * Errors are only logged, because the first caller gets the same error again.
 */
export async function warmPolicies({ policies, context }: WarmedWork): Promise<void> {
  const { middleware, auth } = await required(policies, 'policies');
  const all = middleware.map(({ instance }) => instance);
  for (const one of auth === undefined ? all : [auth.authProvider, ...all]) void warm(one, context.logger);
}

async function warm(one: Warming, logger: Pick<Logger, 'debug'>): Promise<void> {
  try {
    await one.warmUp?.();
  } catch (error) {
    logger.debug({ err: error }, 'a policy could not be prepared for its first caller');
  }
}
