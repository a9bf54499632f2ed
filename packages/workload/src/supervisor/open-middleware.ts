import type { PlacedProxyMiddleware } from '@portolan/proxy';
import { middlewareOf, type NamedMiddleware, type RunConfig } from '@portolan/run-spec';
import type { GivenSettings, WorkloadContext } from '../workload-context.ts';

/** Makes the proxy middleware that a run config names; without any, nothing is asked for it. */
export async function openMiddleware(
  config: RunConfig,
  { kinds }: Pick<WorkloadContext, 'kinds'>,
): Promise<readonly PlacedProxyMiddleware[]> {
  const opened: PlacedProxyMiddleware[] = [];
  for (const named of middlewareOf(config)) {
    opened.push(await kinds.openProxyMiddleware(named.type, givenTo(named, config.name)));
  }
  return opened;
}

/** Its settings in the run config; undefined where those of the configuration count. */
export function givenTo({ parameters, place }: NamedMiddleware, workload: string): GivenSettings | undefined {
  if (parameters === undefined) return undefined;
  return { value: parameters, place: `${place}.parameters`, origin: `the run config of ${workload}` };
}
