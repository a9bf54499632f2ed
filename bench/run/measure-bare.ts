import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { INITIALIZE } from './messages.ts';

/** Returns the milliseconds from the start of `docker run` to the response to `initialize` over stdio. */
export async function measureBare(image: string): Promise<number> {
  const startedAt = performance.now();
  const child = spawn('docker', ['run', '--rm', '-i', '--init', image], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  let took: number | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.includes('"serverInfo"')) continue;
    took = performance.now() - startedAt;
    break;
  }
  child.stdin.end();
  await exited;
  if (took === undefined) throw new Error('the server did not answer initialize');
  return took;
}
