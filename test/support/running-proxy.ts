import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port.ts';

/** A kind of reverse proxy. */
export interface ProxyKind {
  readonly name: string;
  readonly places: readonly string[];
  /** Arguments that keep it in the foreground, with all files in one folder. */
  readonly words: (folder: string, file: string) => readonly string[];
  /** Returns the configuration with `lines` of a guide in their place. */
  readonly configuration: (folder: string, port: number, lines: string) => string;
}

/** Returns the path of the program, or undefined if it is not installed. */
export async function findProxy({ places }: ProxyKind): Promise<string | undefined> {
  for (const place of places) {
    const isThere = await access(place, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return place;
  }
  return undefined;
}

/** A reverse proxy on loopback in the foreground, with all files in one folder. The caller has to stop it. */
export class RunningProxy {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  static async start(kind: ProxyKind, folder: string, lines: string): Promise<RunningProxy> {
    const program = await findProxy(kind);
    if (program === undefined) throw new Error(`${kind.name} is not installed`);
    await mkdir(folder, { recursive: true });
    let last = '';
    for (let tries = 0; tries < 5; tries += 1) {
      const port = await freePort();
      const file = path.join(folder, 'proxy.conf');
      await writeFile(file, kind.configuration(folder, port, lines));
      const child = spawn(program, [...kind.words(folder, file)], { stdio: ['ignore', 'ignore', 'pipe'] });
      let message = '';
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        message += chunk;
      });
      const url = `http://127.0.0.1:${port}`;
      const ended = once(child, 'exit').then(() => false);
      if (await Promise.race([ended, answers(url)])) return new RunningProxy(url, child);
      if (child.exitCode === null) child.kill('SIGKILL');
      last = message;
    }
    throw new Error(`${kind.name} does not start: ${last}`);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}

/** Sends requests until one gets a response, for at most ten seconds. */
async function answers(url: string): Promise<boolean> {
  for (let tries = 0; tries < 400; tries += 1) {
    const status = await fetch(url).then(
      (response) => response.status,
      () => undefined,
    );
    if (status !== undefined) return true;
    await delay(25);
  }
  return false;
}

export const NGINX: ProxyKind = {
  name: 'nginx',
  places: ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/usr/bin/nginx', '/usr/local/bin/nginx'],
  words: (folder, file) => ['-p', folder, '-c', file, '-e', 'stderr'],
  configuration: (folder, port, lines) => {
    // Upstream blocks and rate-limit zones are next to the server block.
    const shared = lines.match(/^(?:upstream .*?^\}|limit_req_zone [^\n]*)$/gms) ?? [];
    const rest = shared.reduce((text, part) => text.replace(part, ''), lines);
    const bodies = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    return `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
events { worker_connections 64; }
http {
  access_log off;
  ${bodies.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  ${shared.join('\n')}
  server {
    listen 127.0.0.1:${port};
${rest}
  }
}
`;
  },
};

/** Apache as packaged by Debian. */
export const APACHE: ProxyKind = {
  name: 'Apache',
  places: ['/usr/sbin/apache2'],
  words: (_folder, file) => ['-X', '-f', file],
  configuration: (folder, port, lines) => `
ServerName localhost
ServerRoot ${folder}
DefaultRuntimeDir ${folder}
PidFile ${folder}/apache.pid
ErrorLog ${folder}/error.log
Listen 127.0.0.1:${port}
${['mpm_event', 'authz_core', 'headers', 'proxy', 'proxy_http']
  .map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`)
  .join('\n')}
User nobody
Group nogroup
${lines}
`,
};

/** The site address of the guide is replaced by one without TLS. */
export const CADDY: ProxyKind = {
  name: 'Caddy',
  places: ['/usr/bin/caddy', '/usr/local/bin/caddy'],
  words: (_folder, file) => ['run', '--adapter', 'caddyfile', '--config', file],
  configuration: (folder, port, lines) => `
{
	admin off
	auto_https off
	storage file_system ${folder}
}
${lines.replace(/^\S+ \{$/m, `http://127.0.0.1:${port} {`)}
`,
};
