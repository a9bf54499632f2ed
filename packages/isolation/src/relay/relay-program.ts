import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';

/** The relay as the gateway container is given it. */
export interface RelayProgram {
  /** JavaScript of one module without dependencies; its file has to end in `.mjs`. */
  readonly source: string;
  /** Arguments of Node before the file: small heaps, since it only passes bytes on. */
  readonly nodeArguments: readonly string[];
}

/**
 * Reads the relay: compiled beside this module where Portolan is installed, and
 * from its TypeScript in a checkout. It takes the folder with the sockets as
 * its one argument.
 */
export async function readRelayProgram(): Promise<RelayProgram> {
  return {
    source: await readProgram('relay'),
    nodeArguments: ['--max-old-space-size=32', '--max-semi-space-size=1'],
  };
}

/**
 * Reads what the gateway loads before the relay where its sockets are reached
 * over its standard input and output; one module as well.
 */
export async function readBridgeProgram(): Promise<string> {
  return await readProgram('socket-bridge');
}

async function readProgram(name: string): Promise<string> {
  const isSource = import.meta.filename.endsWith('.ts');
  const text = await readFile(new URL(`./${name}.${isSource ? 'ts' : 'js'}`, import.meta.url), 'utf8');
  return isSource ? stripQuietly(text) : text;
}

/** Node says once a process that this is experimental; no user of a checkout can do anything about it. */
function stripQuietly(text: string): string {
  const emitWarning = process.emitWarning.bind(process);
  // Nothing else runs meanwhile that could warn of something.
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(text);
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Variables for the workload's container, over the user's own: all proxied, but for what never leaves. */
export const PROXY_ENVIRONMENT: Readonly<Record<string, string>> = Object.fromEntries([
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].map((name) => [
    name,
    'http://127.0.0.1:3128',
  ]),
  ...['NO_PROXY', 'no_proxy'].map((name) => [name, 'localhost,127.0.0.1,::1']),
]);
