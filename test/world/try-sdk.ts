import { cp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { LAUNCHER } from '../support/command-line.ts';
import { findErrorLine } from './find-error-line.ts';
import { listTools } from './list-tools.ts';
import { runProgram } from './run-program.ts';
import type { CheckResult } from './results.ts';
import { SDK_LANGUAGES } from './sdk-languages.ts';
import type { SdkTransport, WorldSdk } from './sdks.ts';
import type { TryContext } from './try-package.ts';

/** A running workload that clients connect to. */
export interface ClientTarget {
  readonly name: string;
  readonly url: string;
  readonly transport: 'streamable-http' | 'sse';
}

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
  const tools = SDK_LANGUAGES[sdk.language];
  const version = sdk.clients.length === 0 ? '' : await tools.prepareClient(sdk, folder, context);
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

/** Copies the programs of an SDK to a folder, without what was there. */
export async function copyPrograms(sdk: WorldSdk, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await cp(path.join(import.meta.dirname, 'sdks', sdk.folder), folder, { recursive: true });
}

/** Builds an image with the server of an SDK, which takes the transport and the port as arguments. */
async function buildServer(
  sdk: WorldSdk,
  folder: string,
  reference: string,
  context: TryContext,
): Promise<void> {
  const { base, lines } = await SDK_LANGUAGES[sdk.language].describeServer(sdk, folder, context);
  await writeFile(path.join(folder, 'Dockerfile'), `FROM ${base}\nCOPY . /app\n${lines}\nUSER 65532:65532\n`);
  await runProgram('docker', ['build', '-q', '-t', reference, '.'], {
    cwd: folder,
    env: { ...process.env, DOCKER_BUILDKIT: '0' },
  });
}

async function runClient(
  sdk: WorldSdk,
  folder: string,
  transport: SdkTransport,
  targets: readonly ClientTarget[],
  context: TryContext,
): Promise<void> {
  const target = targets.find((one) => one.transport === (transport === 'sse' ? 'sse' : 'streamable-http'));
  if (target === undefined) throw new Error(`no workload for ${transport}`);
  const place =
    transport === 'stdio' ? [process.execPath, LAUNCHER, 'proxy', 'stdio', target.name] : [target.url];
  const words = SDK_LANGUAGES[sdk.language].clientWords(sdk, folder, context);
  const [command = '', ...args] = [...words, transport, ...place];
  const output = await runProgram(command, args, {
    cwd: folder,
    env: { ...process.env, ...context.user.environment, PORTOLAN_DEFAULT_REGISTRY: 'off', DENIED_TOOL },
  });
  if (!/^ok$/m.test(output)) throw new Error(output);
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
