import { subscribe } from 'node:diagnostics_channel';

const PROGRAM = /(?:^|\/)portolan(?:\.js)?$/;
/** As an argument a bare word may be anything: the name that a shell gives to its script. */
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
 * Fails a test that starts the program so that it could ask a registry of
 * somebody else: whoever makes an environment of its own for it says which
 * registry is the default one, if any.
 */
export function requireOwnRegistries(): void {
  subscribe('tracing:child_process.spawn:start', (message) => {
    const { options } = message as Spawning; // as Node documents it
    const fault = findForeignRegistry(options);
    if (fault !== undefined) throw new Error(fault);
  });
  subscribe('undici:client:beforeConnect', (message) => {
    const { connectParams } = message as { readonly connectParams: { readonly hostname: string } }; // as undici documents it
    if (connectParams.hostname.endsWith('modelcontextprotocol.io')) {
      throw new Error(`the test asks ${connectParams.hostname}`);
    }
  });
}

/** What is wrong with how a process is started; undefined when it is not the program, or asks nobody. */
export function findForeignRegistry({
  file,
  args = [],
  envPairs = [],
}: Spawning['options']): string | undefined {
  if (!PROGRAM.test(file) && !args.some((word) => LAUNCHER.test(word))) return undefined;
  if (envPairs.some((pair) => ALLOWED.test(pair))) return undefined;
  return `the test starts ${args.join(' ')} without PORTOLAN_DEFAULT_REGISTRY=off, or the address of a registry of its own`;
}
