import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What users would take instead, at the versions that are measured. */
const PEERS = { supergateway: '4.0.0', 'mcp-proxy': '6.7.19' } as const;

/** Installs the peers in a folder of their own; undefined where that cannot be done, as without a network. */
export async function installPeers(folder: string): Promise<string | undefined> {
  const modules = path.join(folder, 'peers');
  await mkdir(modules);
  await writeFile(path.join(modules, 'package.json'), '{"private":true,"type":"module"}\n');
  const names = Object.entries(PEERS).map(([name, version]) => `${name}@${version}`);
  try {
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...names], { cwd: modules });
    return modules;
  } catch {
    return undefined;
  }
}

/** Arguments for Node that start a peer before a server on standard input and output. */
export function peerArgs(
  modules: string,
  peer: keyof typeof PEERS,
  port: string,
  server: readonly string[],
): readonly string[] {
  if (peer === 'mcp-proxy') {
    const file = path.join(modules, 'node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs');
    return [
      file,
      '--port',
      port,
      '--host',
      '127.0.0.1',
      '--server',
      'stream',
      '--',
      process.execPath,
      ...server,
    ];
  }
  const file = path.join(modules, 'node_modules/supergateway/dist/index.js');
  const command = [process.execPath, ...server].join(' ');
  const ways = ['--outputTransport', 'streamableHttp', '--stateful', '--logLevel', 'none'];
  return [file, '--stdio', command, '--port', port, ...ways];
}

/** Whether nginx is there to be measured beside the others. */
export async function hasNginx(): Promise<boolean> {
  return await run('nginx', ['-v']).then(
    () => true,
    () => false,
  );
}

/** Arguments that start nginx as an operator would write it for streamable HTTP: nothing buffered, one worker. */
export async function nginxArgs(folder: string, port: string, backend: URL): Promise<readonly string[]> {
  const own = path.join(folder, `nginx-${port}`);
  await mkdir(own);
  const template = await readFile(path.join(import.meta.dirname, 'nginx.conf.template'), 'utf8');
  const text = template
    .replaceAll('__FOLDER__', own)
    .replaceAll('__PORT__', port)
    .replaceAll('__BACKEND__', backend.host);
  await writeFile(path.join(own, 'nginx.conf'), text);
  return ['-p', own, '-c', path.join(own, 'nginx.conf')];
}
