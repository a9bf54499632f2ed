import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { ProxyMiddleware } from '@portolan/plugin-api';
import { middlewareOf, type RunConfig } from '@portolan/run-spec';
import { givenTo } from '../../supervisor/policies/open-middleware.ts';
import { proxyContext } from '../../supervisor/policies/proxy-context.ts';
import type { WorkloadContext } from '../../workload-context.ts';

export interface PoliciesAlone {
  /** Open middleware instances, each with the run config field that configures it. */
  readonly opened: readonly { readonly place: string; readonly instance: ProxyMiddleware }[];
  readonly warnings: readonly string[];
  /** Temporary folder for files of the policies. */
  readonly folder: string;
}

/**
 * Opens the policies of a run config without starting a server, and passes them to `work`. `origin` names the
 * source of the settings in errors. Throws the errors of the checks, such as ERR_CONFIG_INVALID.
 */
export async function withPoliciesAlone<Result>(
  config: RunConfig,
  origin: string,
  context: WorkloadContext,
  work: (policies: PoliciesAlone) => Promise<Result>,
): Promise<Result> {
  const temporary = await mkdtemp(path.join(os.tmpdir(), 'portolan-authz-'));
  const warnings: string[] = [];
  const opened: { readonly place: string; readonly instance: ProxyMiddleware }[] = [];
  try {
    const directories = { ...context.directories, policies: temporary };
    const hostContext = proxyContext(config, {}, { ...context, directories }, () => undefined);
    for (const named of middlewareOf(config)) {
      const settings = givenTo(named, config.name);
      const input = settings && { ...settings, origin };
      warnings.push(...(await context.kinds.checkProxyMiddleware(named.type, input)));
      const { instance } = await context.kinds.openProxyMiddleware(named.type, hostContext, input);
      opened.push({ place: named.place, instance });
    }
    return await work({ opened, warnings, folder: hostContext.workload.directory });
  } finally {
    for (const { instance } of opened) await instance.close?.();
    await rm(temporary, { recursive: true, force: true });
  }
}
