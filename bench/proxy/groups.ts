import path from 'node:path';
import { freeAddress, startNode, waitForResponse } from '../registry/start-process.ts';
import { hasNginx, nginxArgs, peerArgs } from './peers.ts';
import { ownProxy, type ProxyTarget, program, startTarget, type TargetSource } from './targets.ts';

/** Maximum number of sessions with their own process, our default. */
const MAX_PROCESSES = 16;

/** Starts proxies in front of one HTTP server that responds with JSON or with event streams. */
export async function startPassing(source: TargetSource, isStream: boolean): Promise<readonly ProxyTarget[]> {
  const form = isStream ? ['--events'] : [];
  const direct = await startTarget(source, 'direct', (port) => program('echo-http.ts', port, ...form));
  const backend = await startBackend(source, form);
  const { origin } = backend;
  const nginx = (await hasNginx())
    ? [
        await startTarget(source, 'nginx', (port) => nginxArgs(source.folder, port, backend), {
          program: 'nginx',
        }),
      ]
    : [];
  return [
    direct,
    await startTarget(source, 'floor', (port) => program('floor-passthrough.ts', port, origin)),
    ...nginx,
    await startTarget(source, 'portolan', (port) => ownProxy(port, 'http', origin)),
    await startTarget(source, 'portolan, empty middleware', (port) => ownProxy(port, 'judged', origin)),
  ];
}

/** Starts bridges, each in front of its own stdio server. */
export async function startBridges(
  source: TargetSource,
  modules: string | undefined,
): Promise<readonly ProxyTarget[]> {
  const server = program('echo-stdio.ts');
  const command = [process.execPath, ...server];
  const own = (sessions: 'shared' | 'own') => (port: string) => ownProxy(port, sessions, ...command);
  // supergateway refuses bodies above 100 kB.
  const each = { maxSessions: MAX_PROCESSES, maxPayloadBytes: 95_000 };
  const started = [
    await startTarget(source, 'floor', (port) => program('floor-bridge.ts', port, 'shared', ...command)),
    await startTarget(source, 'floor, own', (port) => program('floor-bridge.ts', port, 'own', ...command), {
      maxSessions: MAX_PROCESSES - 1,
    }),
    await startTarget(source, 'portolan, shared', own('shared')),
    await startTarget(source, 'portolan, own', own('own'), { maxSessions: MAX_PROCESSES - 1 }),
  ];
  if (modules === undefined) return started;
  return [
    ...started,
    await startTarget(source, 'mcp-proxy', (port) => peerArgs(modules, 'mcp-proxy', port, server)),
    await startTarget(
      source,
      'supergateway',
      (port) => peerArgs(modules, 'supergateway', port, server),
      each,
    ),
  ];
}

/** Starts an HTTP server for several proxies. */
export async function startBackend({ folder, undo }: TargetSource, form: readonly string[]): Promise<URL> {
  const url = await freeAddress();
  const server = startNode(url, {
    args: program('echo-http.ts', url.port, ...form),
    environment: {},
    logFile: path.join(folder, `backend-${url.port}.log`),
  });
  undo.push('the server behind', () => server.stop());
  await waitForResponse(server, '/nothing', (status) => status === 404);
  return url;
}
