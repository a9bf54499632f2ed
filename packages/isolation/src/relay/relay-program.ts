import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';

export interface RelayProgram {
  /** JavaScript of a single module without dependencies. Its file must end in `.mjs`. */
  readonly source: string;
  /** Node arguments for small heaps, since the relay only forwards bytes. */
  readonly nodeArguments: readonly string[];
}

/** Reads the relay program: compiled in an installation, from TypeScript in a checkout. */
export async function readRelayProgram(): Promise<RelayProgram> {
  return {
    source: await readProgram('relay'),
    nodeArguments: ['--max-old-space-size=32', '--max-semi-space-size=1'],
  };
}

/** Reads the module that connects sockets over standard streams. */
export async function readBridgeProgram(): Promise<string> {
  return await readProgram('socket-bridge');
}

async function readProgram(name: string): Promise<string> {
  const isSource = import.meta.filename.endsWith('.ts');
  const text = await readFile(new URL(`./${name}.${isSource ? 'ts' : 'js'}`, import.meta.url), 'utf8');
  return isSource ? stripQuietly(text) : text;
}

/** Strips types without Node's experimental warning, which users of a checkout cannot act on. */
function stripQuietly(text: string): string {
  const emitWarning = process.emitWarning.bind(process);
  // Nothing else runs meanwhile that could emit a warning.
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(text);
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Variables that override the user's own: everything is proxied except local addresses. */
export const PROXY_ENVIRONMENT: Readonly<Record<string, string>> = Object.fromEntries([
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].map((name) => [
    name,
    'http://127.0.0.1:3128',
  ]),
  ...['NO_PROXY', 'no_proxy'].map((name) => [name, 'localhost,127.0.0.1,::1']),
]);
