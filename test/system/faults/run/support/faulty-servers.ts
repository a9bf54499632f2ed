import { httpServer, stdioServer } from '../../../supervise/support/mini-servers.ts';

/** Returns arguments that run a server with `--transport stdio`. `before` is code before its program. */
export function overStdio(before = ''): readonly string[] {
  return ['--', ...(stdioServer(before).cmd_args ?? [])];
}

/** Returns the same arguments for a server that listens to HTTP. */
export function overHttp(before = ''): readonly string[] {
  return ['--transport', 'streamable-http', '--', ...(httpServer(before).cmd_args ?? [])];
}

/** A program that is not a server. */
export function program(script: string): readonly string[] {
  return ['--', 'node', '-e', script];
}

/** Runs without any output. */
export const SILENT = 'process.stdin.resume(); setInterval(() => 0, 1000);';
/** Writes more than any reader can process, without a single message. */
export const FLOODS = `const line = 'x'.repeat(1000) + '\\n';
const more = () => { while (process.stdout.write(line)); process.stdout.once('drain', more); };
more();`;
/** Writes half a line and then hangs. */
export const HALF_A_LINE = `process.stdout.write('{"jsonrpc":"2.0","id":0,"result":{'); ${SILENT}`;
/** Allocates memory until none is left. */
export const HOGS = 'const kept = []; for (;;) kept.push(Buffer.alloc(64 << 20, 1));';
