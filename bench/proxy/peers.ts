import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Alternatives to Portolan, with the measured versions. */
const PEERS = { supergateway: '4.0.0', 'mcp-proxy': '6.7.19' } as const;

/** Installs the peers into a folder; undefined if that fails, for example without a network. */
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

/** Returns the Node.js arguments that start a peer in front of a stdio server. */
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

export async function hasNginx(): Promise<boolean> {
  return await run('nginx', ['-v']).then(
    () => true,
    () => false,
  );
}

/**
 * Returns the arguments of nginx with a typical configuration for streamable HTTP: no buffering, one worker.
 */
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
