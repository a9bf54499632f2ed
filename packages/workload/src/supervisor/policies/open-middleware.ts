import type { ProxyContext } from '@portolan/plugin-api';
import type { PlacedProxyMiddleware } from '@portolan/proxy';
import { middlewareOf, type NamedMiddleware, type RunConfig } from '@portolan/run-spec';
import { proxyContext } from './proxy-context.ts';
import type { KindSettings, WorkloadContext } from '../../workload-context.ts';

/** Opens the proxy middleware that a run config names. `secrets` maps names of secrets to values. */
export async function openMiddleware(
  config: RunConfig,
  secrets: Readonly<Record<string, string>>,
  context: Pick<WorkloadContext, 'kinds' | 'directories' | 'version'>,
  remarks: (kind: string) => ProxyContext['remark'],
): Promise<readonly PlacedProxyMiddleware[]> {
  const opened: PlacedProxyMiddleware[] = [];
  for (const named of middlewareOf(config)) {
    const hostContext = proxyContext(config, secrets, context, remarks(named.type));
    const settings = givenTo(named, config.name);
    opened.push(await context.kinds.openProxyMiddleware(named.type, hostContext, settings));
  }
  return opened;
}

/**
 * Returns the middleware's settings from the run config. Undefined when the run config has none, so that the
 * settings of the configuration file apply.
 */
export function givenTo({ parameters, place }: NamedMiddleware, workload: string): KindSettings | undefined {
  if (parameters === undefined) return undefined;
  return { value: parameters, place, origin: `the run config of ${workload}` };
}
