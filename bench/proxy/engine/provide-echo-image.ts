import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { withoutTypes } from '../targets.ts';

const run = promisify(execFile);
const NEEDED = ['echo-http', 'echo-stdio', 'echo-tool', 'collect-body', 'split-lines'];
const BASE = 'portolan-test/node';
const REFERENCE = 'portolan-test/bench-echo';

/**
 * Builds an image with the servers of this benchmark. The command selects one: `echo-http.mjs PORT` or
 * `echo-stdio.mjs`.
 */
export async function provideEchoImage(folder: string): Promise<string> {
  // Without a local base image, the engine would pull it.
  await run('docker', ['image', 'inspect', BASE]);
  const context = path.join(folder, 'echo-image');
  await mkdir(context, { recursive: true });
  for (const name of NEEDED) {
    await writeFile(path.join(context, `${name}.mjs`), await withoutTypes(`${name}.ts`));
  }
  const lines = [`FROM ${BASE}`, 'COPY . /app', 'WORKDIR /app', 'ENTRYPOINT ["node"]'];
  await writeFile(path.join(context, 'Dockerfile'), `${lines.join('\n')}\n`);
  const env = { ...process.env, DOCKER_BUILDKIT: '0' };
  await run('docker', ['build', '-q', '-t', REFERENCE, context], { env });
  return REFERENCE;
}
