import { readFile } from 'node:fs/promises';
import path from 'node:path';
import authOauth from '@portolan/auth-oauth';
import audit from '@portolan/middleware-audit';
import { createTestProxyContext, openTestWorkloadKernel } from '@portolan/plugin-testing';
import cedar from '@portolan/proxy-authorization-cedar';
import type { ProxyOptions } from '@portolan/proxy';
import toolFilter from '@portolan/proxy-tool-filter';
import telemetry from '@portolan/telemetry-otlp';
import type { PolicySettings } from './settings.ts';

/** What stands in front of a server, as the supervisor of a workload opens it: by the kernel, with checked settings. */
export async function openPolicies(
  file: string,
  transport: string,
): Promise<Pick<ProxyOptions, 'middleware' | 'authProvider' | 'callersProve'>> {
  // SAFETY: `settings.ts` has written it.
  const { oauth, middleware } = JSON.parse(await readFile(file, 'utf8')) as PolicySettings;
  const directory = path.dirname(file);
  const kernel = await openTestWorkloadKernel({
    plugins: [authOauth, audit, cedar, toolFilter, telemetry],
    directory,
  });
  const { workload, secret, remark, version } = createTestProxyContext();
  const surroundings = {
    workload: { ...workload, transport, directory: path.join(directory, 'policies') },
    secret,
    remark,
    version,
  };
  const opened = [];
  for (const { kind, settings } of middleware) {
    const given = { value: settings, place: kind, origin: file };
    opened.push(await kernel.createProxyMiddleware(kind, surroundings, given));
  }
  if (oauth === undefined) return { middleware: opened };
  const auth = await kernel.createAuthProvider('oauth', { value: oauth, place: 'oauth', origin: file });
  return { middleware: opened, authProvider: auth.instance, callersProve: true };
}
