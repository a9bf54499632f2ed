import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { WorkloadCommands } from '../run/workload-commands.ts';
import { McpLoad } from '../proxy/mcp-load.ts';
import { type ProxyTarget, program, startTarget, type TargetSource } from '../proxy/targets.ts';
import { freeAddress, startNode } from '../registry/start-process.ts';

/** Token that the Docker MCP Gateway requires of its clients. */
const TOKEN = 'bench';
/** Maximum number of sessions that the load opens. */
const MAX_SESSIONS = 16;

/** Starts HTTP servers with one tool each, which all gateways have as members. */
export async function startMembers(count: number, { folder, undo }: TargetSource): Promise<readonly URL[]> {
  const urls: URL[] = [];
  while (urls.length < count) {
    const url = new URL('/mcp', await freeAddress());
    const args = program('echo-http.ts', url.port);
    const server = startNode(url, {
      args,
      environment: {},
      logFile: path.join(folder, `member-${url.port}.log`),
    });
    undo.push(`member ${url.port}`, () => server.stop());
    urls.push(url);
  }
  return urls;
}

/** Starts `portolan run --members`, of the built packages. */
export async function startOurs(members: readonly URL[], source: TargetSource): Promise<ProxyTarget> {
  const commands = await WorkloadCommands.open(source.folder, true);
  const name = `bench-${members.length}`;
  const file = path.join(source.folder, `${name}.json`);
  await writeFile(file, JSON.stringify({ members: namedMembers(members, (url) => ({ url: url.href })) }));
  source.undo.push(name, () => commands.remove(name));
  const url = new URL(await commands.run(['--members', file, '--name', name]));
  const load = new McpLoad(url, undefined, toolsOf(members, '_'));
  source.undo.push(`sessions of ${name}`, () => load.close());
  return {
    name: 'Portolan',
    pid: await commands.supervisorOf(name),
    load,
    maxSessions: MAX_SESSIONS,
    maxPayloadBytes: Number.POSITIVE_INFINITY,
  };
}

/** Starts `portolan run URL` in front of one member, to see what the virtual server adds. */
export async function startWorkload(member: URL, source: TargetSource): Promise<ProxyTarget> {
  const commands = await WorkloadCommands.open(source.folder, true);
  const name = 'bench-alone';
  source.undo.push(name, () => commands.remove(name));
  const load = new McpLoad(new URL(await commands.run([member.href, '--name', name])));
  source.undo.push(`sessions of ${name}`, () => load.close());
  return {
    name: 'Portolan, no virtual server',
    pid: await commands.supervisorOf(name),
    load,
    maxSessions: MAX_SESSIONS,
    maxPayloadBytes: Number.POSITIVE_INFINITY,
  };
}

/** Starts `vmcp serve` of ToolHive with fixed backends. */
export async function startVmcp(
  vmcp: string,
  members: readonly URL[],
  source: TargetSource,
): Promise<ProxyTarget> {
  const file = path.join(source.folder, `vmcp-${members.length}.json`);
  const backends = members.map((url, at) => ({
    name: `m${at}`,
    url: url.href,
    transport: 'streamable-http',
  }));
  const config = {
    name: 'bench',
    groupRef: 'bench',
    incomingAuth: { type: 'anonymous' },
    outgoingAuth: { source: 'inline', default: { type: 'unauthenticated' } },
    aggregation: {
      conflictResolution: 'prefix',
      conflictResolutionConfig: { prefixFormat: '{workload}_' },
    },
    backends,
  };
  await writeFile(file, JSON.stringify(config));
  return await startTarget(
    source,
    'thv vmcp',
    (port) => ['serve', '--config', file, '--host', '127.0.0.1', '--port', port],
    { program: vmcp, tools: toolsOf(members, '_'), maxSessions: MAX_SESSIONS, environment: homeIn(source) },
  );
}

/** Starts `docker mcp gateway run` with remote servers, and without what it does more than others. */
export async function startDockerGateway(
  dockerMcp: string,
  members: readonly URL[],
  source: TargetSource,
): Promise<ProxyTarget> {
  const folder = path.join(homeIn(source).HOME, '.docker/mcp/catalogs');
  await mkdir(folder, { recursive: true });
  const catalog = `bench-${members.length}.yaml`;
  const registry = namedMembers(members, (url, name) => ({
    title: name,
    description: name,
    type: 'remote',
    prefix: name,
    remote: { url: url.href, transport_type: 'streamable-http' },
  }));
  const content = { version: 2, name: 'bench', displayName: 'bench', registry };
  // JSON is YAML.
  await writeFile(path.join(folder, catalog), JSON.stringify(content));
  const servers = Object.keys(registry).join(',');
  const choices = ['--catalog', catalog, '--servers', servers, '--transport', 'streaming'];
  const off = ['log-calls', 'watch', 'block-secrets', 'verify-signatures'].map((flag) => `--${flag}=false`);
  return await startTarget(
    source,
    'docker mcp gateway',
    (port) => ['gateway', 'run', ...choices, '--host', '127.0.0.1', '--port', port, ...off],
    {
      program: dockerMcp,
      tools: toolsOf(members, '__'),
      tokenFor: () => TOKEN,
      maxSessions: MAX_SESSIONS,
      environment: {
        ...homeIn(source),
        MCP_GATEWAY_AUTH_TOKEN: TOKEN,
        DOCKER_MCP_ALLOW_INSECURE_REMOTE_URLS: '1',
      },
    },
  );
}

function toolsOf(members: readonly URL[], separator: string): readonly string[] {
  return members.map((_url, at) => `m${at}${separator}echo`);
}

function namedMembers<T>(
  members: readonly URL[],
  describe: (url: URL, name: string) => T,
): Readonly<Record<string, T>> {
  return Object.fromEntries(members.map((url, at) => [`m${at}`, describe(url, `m${at}`)]));
}

function homeIn({ folder }: TargetSource): { readonly HOME: string } {
  return { HOME: path.join(folder, 'home') };
}
