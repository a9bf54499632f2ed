import { httpServer, stdioServer } from '../../../supervise/support/mini-servers.ts';

/** Words for the end of a command line that runs a server with `--transport stdio`; `before` stands before its program. */
export function overStdio(before = ''): readonly string[] {
  return ['--', ...(stdioServer(before).cmd_args ?? [])];
}

/** The same for one that listens to HTTP. */
export function overHttp(before = ''): readonly string[] {
  return ['--transport', 'streamable-http', '--', ...(httpServer(before).cmd_args ?? [])];
}

/** A program that is no server at all. */
export function program(script: string): readonly string[] {
  return ['--', 'node', '-e', script];
}

/** Lives, and says nothing. */
export const SILENT = 'process.stdin.resume(); setInterval(() => 0, 1000);';
/** Says more than anybody can read, none of which is a message. */
export const FLOODS = `const line = 'x'.repeat(1000) + '\\n';
const more = () => { while (process.stdout.write(line)); process.stdout.once('drain', more); };
more();`;
/** Begins to say something, and hangs. */
export const HALF_A_LINE = `process.stdout.write('{"jsonrpc":"2.0","id":0,"result":{'); ${SILENT}`;
/** Takes memory until there is none. */
export const HOGS = 'const kept = []; for (;;) kept.push(Buffer.alloc(64 << 20, 1));';
