import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Attachment, ServerConnection } from '@portolan/plugin-api';
import { openStdioConnection } from '@portolan/transport-stdio';

const nothing = (): void => undefined;

/** Presents a child process like a container of a runtime. */
export function openChild(command: string, args: readonly string[]): ServerConnection {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const exited = once(child, 'close');
  child.stdin.on('error', nothing);
  const attachment: Attachment = {
    stdout: child.stdout,
    stderr: child.stderr,
    ended: exited.then(() => undefined),
    write: (bytes) =>
      new Promise((resolve, reject) => {
        if (child.stdin.writableCorked === 0) {
          child.stdin.cork();
          setImmediate(() => child.stdin.uncork());
        }
        child.stdin.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    endInput: () => child.stdin.end(),
    close: () => void child.kill(),
  };
  const connection = openStdioConnection(attachment, { maxMessageBytes: 64 * 1024 * 1024 });
  void (async () => {
    for await (const line of connection.logged) process.stderr.write(`${line}\n`);
  })();
  return connection;
}
