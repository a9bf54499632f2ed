import { required, type Supervision } from './supervision.ts';

/**
 * Lets what stands in front of the server do meanwhile what its first caller would wait for. Nobody waits for it, and
 * nothing depends on it: whatever goes wrong is told to the first caller.
 */
export async function warmPolicies(work: Supervision): Promise<void> {
  const { middleware, auth } = await required(work.policies, 'policies');
  for (const warming of [auth?.authProvider, ...middleware.map(({ instance }) => instance)])
    void warm(work, warming);
}

async function warm({ context }: Supervision, one: Warming | undefined): Promise<void> {
  try {
    await one?.warmUp?.();
  } catch (error) {
    context.logger.debug({ err: error }, 'a policy could not be prepared for its first caller');
  }
}

interface Warming {
  warmUp?(): void | Promise<void>;
}
