import { subscribe } from 'node:diagnostics_channel';

const PROGRAM = /(?:^|\/)portolan(?:\.js)?$/;
/**
 * The launcher's path. A plain word as an argument may have another meaning, such as a script's name in a
 * shell.
 */
const LAUNCHER = /\/portolan(?:\.js)?$/;
const ALLOWED =
  /^PORTOLAN_DEFAULT_REGISTRY=(?:off|https?:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?::\d+)?(?:\/.*)?)$/;

interface Spawning {
  readonly options: {
    readonly file: string;
    readonly args?: readonly string[];
    readonly envPairs?: readonly string[];
  };
}

/**
 * Fails a test that starts Portolan in a way that could send requests to a registry outside of the test. A
 * test with its own environment has to set the default registry or disable it.
 */
export function requireOwnRegistries(): void {
  subscribe('tracing:child_process.spawn:start', (message) => {
    const { options } = message as Spawning; // SAFETY: Node.js documents this type.
    const fault = findForeignRegistry(options);
    if (fault !== undefined) throw new Error(fault);
  });
  subscribe('undici:client:beforeConnect', (message) => {
    // SAFETY: undici documents this type.
    const { connectParams } = message as { readonly connectParams: { readonly hostname: string } };
    if (connectParams.hostname.endsWith('modelcontextprotocol.io')) {
      throw new Error(`the test asks ${connectParams.hostname}`);
    }
  });
}

/**
 * Returns the problem of a process start. Returns undefined if the program is another one or sends no request
 * to a registry.
 */
export function findForeignRegistry({
  file,
  args = [],
  envPairs = [],
}: Spawning['options']): string | undefined {
  if (!PROGRAM.test(file) && !args.some((word) => LAUNCHER.test(word))) return undefined;
  if (envPairs.some((pair) => ALLOWED.test(pair))) return undefined;
  return `the test starts ${args.join(' ')} without PORTOLAN_DEFAULT_REGISTRY=off, or the address of a registry of its own`;
}
