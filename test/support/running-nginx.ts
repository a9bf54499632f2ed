import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port.ts';

const PLACES = ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/usr/bin/nginx', '/usr/local/bin/nginx'];

/** The program, where this machine has it. */
export async function findNginx(): Promise<string | undefined> {
  for (const place of PLACES) {
    const isThere = await access(place, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return place;
  }
  return undefined;
}

/** An nginx on loopback, in the foreground, all its files in one folder. Whoever starts one stops it. */
export class RunningNginx {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  /** `locations` stands in the `server` block. */
  static async start(program: string, folder: string, locations: string): Promise<RunningNginx> {
    await mkdir(folder, { recursive: true });
    let last = '';
    for (let tries = 0; tries < 5; tries += 1) {
      const port = await freePort();
      const file = path.join(folder, 'nginx.conf');
      await writeFile(file, configuration(folder, port, locations));
      const child = spawn(program, ['-p', folder, '-c', file, '-e', 'stderr'], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let told = '';
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        told += chunk;
      });
      const url = `http://127.0.0.1:${port}`;
      const ended = once(child, 'exit').then(() => false);
      if (await Promise.race([ended, answers(url)])) return new RunningNginx(url, child);
      if (child.exitCode === null) child.kill('SIGKILL');
      last = told;
    }
    throw new Error(`nginx does not start: ${last}`);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}

/** Whether something answers there, asked until it does, for ten seconds. */
async function answers(url: string): Promise<boolean> {
  for (let tries = 0; tries < 400; tries += 1) {
    const status = await fetch(url).then(
      (answer) => answer.status,
      () => undefined,
    );
    if (status !== undefined) return true;
    await delay(25);
  }
  return false;
}

function configuration(folder: string, port: number, locations: string): string {
  const bodies = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
events { worker_connections 64; }
http {
  access_log off;
  ${bodies.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  server {
    listen 127.0.0.1:${port};
${locations}
  }
}
`;
}
