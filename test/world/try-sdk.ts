import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { LAUNCHER } from '../support/command-line.ts';
import { findErrorLine } from './find-error-line.ts';
import { findPython } from './host-programs.ts';
import { listTools } from './list-tools.ts';
import { runProgram } from './run-program.ts';
import type { CheckResult } from './results.ts';
import type { SdkTransport, WorldSdk } from './sdks.ts';
import type { TryContext } from './try-package.ts';

/** A running workload that clients connect to. */
export interface ClientTarget {
  readonly name: string;
  readonly url: string;
  readonly transport: 'streamable-http' | 'sse';
}

/** A package of the scheme whose base image has the language. */
const SCHEMES = { node: 'npx://server', python: 'uvx://server' } as const;
/** Port in the container on which the servers listen. */
const PORT = 8080;
/** Tool of the server that the policy of the workload hides. */
export const DENIED_TOOL = 'get-env';

/**
 * Runs a client of an SDK by each of its transports: it lists tools, calls one, calls a denied one, and calls the
 * first one again. Then starts a server of the SDK under Portolan by each of its transports, and lists its tools.
 */
export async function trySdk(
  sdk: WorldSdk,
  targets: readonly ClientTarget[],
  context: TryContext,
  onResult: (result: CheckResult) => void,
): Promise<void> {
  const folder = path.join(context.user.root, 'sdk');
  await copyPrograms(sdk, folder);
  const report = async (role: string, transport: SdkTransport, run: () => Promise<void>): Promise<void> => {
    const error = await run().then(
      () => undefined,
      (reason: unknown) => (reason instanceof Error ? reason.message : String(reason)),
    );
    const date = new Date().toISOString().slice(0, 10);
    const result = error === undefined ? 'ok' : findErrorLine(error);
    onResult({ name: `${sdk.name}, ${role}, ${transport}`, date, version, result });
  };
  const version = sdk.clients.length === 0 ? '' : await prepareClient(sdk, folder, context);
  for (const transport of sdk.clients) {
    await report('client', transport, async () => await runClient(sdk, folder, transport, targets, context));
  }
  await copyPrograms(sdk, folder); // without what the client has installed
  const image = `portolan-test-world/${sdk.folder}:${process.pid}`;
  try {
    let isBuilt = false;
    for (const transport of sdk.servers) {
      await report('server', transport, async () => {
        if (!isBuilt) await buildServer(sdk, folder, image, context);
        isBuilt = true;
        await runServer(transport, image, context);
      });
    }
  } finally {
    await removeImage(image, context);
    await rm(folder, { recursive: true, force: true });
  }
}

async function removeImage(image: string, { user }: TryContext): Promise<void> {
  if ((await user.runtime.inspectImage(image)) !== undefined) await user.runtime.removeImage(image);
}

async function copyPrograms(sdk: WorldSdk, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await cp(path.join(import.meta.dirname, 'sdks', sdk.folder), folder, { recursive: true });
}

/** Builds an image with the server of an SDK, which takes the transport and the port as arguments. */
async function buildServer(
  sdk: WorldSdk,
  folder: string,
  reference: string,
  { images }: TryContext,
): Promise<void> {
  const install = {
    node: 'WORKDIR /app\nRUN npm install --no-audit --no-fund\nENTRYPOINT ["node", "server.js"]',
    python: `RUN python3 -m venv /opt/tool && /opt/tool/bin/pip install -q "${sdk.package}"\nENTRYPOINT ["/opt/tool/bin/python", "/app/world_server.py"]`,
    go: 'ENTRYPOINT ["/app/program"]',
  }[sdk.language];
  if (sdk.language === 'go') await buildGo(sdk, folder, './server');
  const base =
    sdk.language === 'go'
      ? 'portolan-test/debian'
      : await images.provideFor({ target: SCHEMES[sdk.language] });
  await writeFile(
    path.join(folder, 'Dockerfile'),
    `FROM ${base}\nCOPY . /app\n${install}\nUSER 65532:65532\n`,
  );
  await runProgram('docker', ['build', '-q', '-t', reference, '.'], {
    cwd: folder,
    env: { ...process.env, DOCKER_BUILDKIT: '0' },
  });
}

async function buildGo(sdk: WorldSdk, folder: string, program: './client' | './server'): Promise<void> {
  const options = { cwd: folder, env: { ...process.env, GOFLAGS: '-mod=mod', CGO_ENABLED: '0' } };
  await runProgram('go', ['get', `${sdk.package}@latest`], options);
  await runProgram('go', ['mod', 'tidy'], options);
  await runProgram('go', ['build', '-o', 'program', program], options);
}

/** Installs what the client needs. Returns the version of the SDK. */
async function prepareClient(sdk: WorldSdk, folder: string, { programs }: TryContext): Promise<string> {
  if (sdk.language === 'node') {
    await runProgram('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder, env: process.env });
    const file = path.join(folder, 'node_modules', sdk.package, 'package.json');
    // SAFETY: npm installs no package without a version.
    return (JSON.parse(await readFile(file, 'utf8')) as { readonly version: string }).version;
  }
  if (sdk.language === 'go') {
    await buildGo(sdk, folder, './client');
    const words = ['list', '-m', '-f', '{{.Version}}', sdk.package];
    return (await runProgram('go', words, { cwd: folder, env: process.env })).trim();
  }
  const name = /^[\w-]+/.exec(sdk.package)?.[0] ?? '';
  const code = `import importlib.metadata as m; print(m.version("${name}"))`;
  const { command, args, env } = pythonWith(sdk, ['python', '-c', code], programs.uv);
  return (await runProgram(command, args, { cwd: folder, env })).trim();
}

async function runClient(
  sdk: WorldSdk,
  folder: string,
  transport: SdkTransport,
  targets: readonly ClientTarget[],
  { user, programs }: TryContext,
): Promise<void> {
  const target = targets.find((one) => one.transport === (transport === 'sse' ? 'sse' : 'streamable-http'));
  if (target === undefined) throw new Error(`no workload for ${transport}`);
  const place =
    transport === 'stdio' ? [process.execPath, LAUNCHER, 'proxy', 'stdio', target.name] : [target.url];
  const words = [transport, ...place];
  const {
    command,
    args,
    env = process.env,
  } = {
    node: () => ({ command: process.execPath, args: ['client.js', ...words], env: undefined }),
    python: () => pythonWith(sdk, ['python', 'world_client.py', ...words], programs.uv),
    go: () => ({ command: path.join(folder, 'program'), args: words, env: undefined }),
  }[sdk.language]();
  const output = await runProgram(command, args, {
    cwd: folder,
    env: { ...env, ...user.environment, PORTOLAN_DEFAULT_REGISTRY: 'off', DENIED_TOOL },
  });
  if (!/^ok$/m.test(output)) throw new Error(output);
}

function pythonWith(
  sdk: WorldSdk,
  words: readonly string[],
  uv: string,
): { readonly command: string; readonly args: readonly string[]; readonly env: NodeJS.ProcessEnv } {
  const args = ['run', '--quiet', '--no-project', '--python', findPython(), '--with', sdk.package, ...words];
  return { command: uv, args, env: process.env };
}

async function runServer(transport: SdkTransport, image: string, { user }: TryContext): Promise<void> {
  const name = `world-sdk-${process.pid}`;
  const port = transport === 'stdio' ? [] : ['--target-port', String(PORT)];
  const flags = ['--name', name, '--transport', transport, ...port];
  const url = await user.run(image, ...flags, '--', transport, String(PORT));
  try {
    const address = new URL(url);
    const tools = await listTools(
      transport === 'sse' ? new SSEClientTransport(address) : new StreamableHTTPClientTransport(address),
    );
    if (!tools.includes('echo')) throw new Error(`the server lists ${tools.join(', ')}, not echo`);
  } finally {
    await user.done('rm', name);
  }
}
