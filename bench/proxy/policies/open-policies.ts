import { readFile } from 'node:fs/promises';
import path from 'node:path';
import authOauth from '@portolan/auth-oauth';
import audit from '@portolan/middleware-audit';
import { openWorkloadKernel } from '@portolan/kernel/workload';
import cedar from '@portolan/proxy-authorization-cedar';
import type { ProxyOptions } from '@portolan/proxy';
import toolFilter from '@portolan/proxy-tool-filter';
import telemetry from '@portolan/telemetry-otlp';
import type { PolicySettings } from './settings.ts';

/** Opens the policies as the supervisor of a workload does: through the kernel, with validated settings. */
export async function openPolicies(
  file: string,
  transport: string,
): Promise<Pick<ProxyOptions, 'middleware' | 'authProvider' | 'callersProve'>> {
  // SAFETY: `settings.ts` has written it.
  const { oauth, middleware } = JSON.parse(await readFile(file, 'utf8')) as PolicySettings;
  const directory = path.dirname(file);
  const kernel = await openWorkloadKernel({
    logDestination: { write: () => true },
    environment: {},
    directory,
    shipped: {},
    shippedFrom: import.meta.url,
    pluginObjects: [authOauth, audit, cedar, toolFilter, telemetry].map((plugin) => ({ plugin })),
  });
  const context = {
    workload: {
      name: 'bench',
      server: 'bench',
      transport,
      isRemote: false,
      trustsProxyHeaders: false,
      directory: path.join(directory, 'policies'),
    },
    secret: (): never => {
      throw new Error('there are no secrets');
    },
    remark: () => undefined,
    version: '0.0.0',
  };
  const opened = [];
  for (const { kind, settings } of middleware) {
    const given = { value: settings, place: kind, origin: file };
    opened.push(await kernel.createProxyMiddleware(kind, context, given));
  }
  if (oauth === undefined) return { middleware: opened };
  const auth = await kernel.createAuthProvider('oauth', { value: oauth, place: 'oauth', origin: file });
  return { middleware: opened, authProvider: auth.instance, callersProve: true };
}
