import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { requireOwnRegistries } from './require-own-registries.ts';

/**
 * Temporary folder of the tests of this process. Items that remain in it fail the run (`reporter.ts`). Its
 * path is short because the paths of sockets have a maximum length.
 */
export const TEMPORARY_FOLDER = mkdtempSync(path.join(tmpdir(), 'pt-'));
// Other users may enter folders below it, as in `/tmp`.
chmodSync(TEMPORARY_FOLDER, 0o711);

/**
 * Gives the tests of this process their own home and folders, independent of the plugins, settings and
 * workloads of the user. Mocha loads this before every test (`.mocharc.json`). Caches that are slow to fill
 * (compiled code, npm packages) stay below `node_modules`.
 */
const theirs = { home: homedir(), runtime: process.env['XDG_RUNTIME_DIR'] };
const home = path.join(TEMPORARY_FOLDER, 'home');
const cacheFolder = path.resolve(import.meta.dirname, '../../node_modules/.cache/portolan-tests');
mkdirSync(path.join(home, 'run'), { recursive: true, mode: 0o700 });

for (const name of Object.keys(process.env)) {
  if (/^XDG_.*_(?:HOME|DIR)$/.test(name)) delete process.env[name];
}
keepEngine();
process.env['HOME'] = home;
process.env['TMPDIR'] = TEMPORARY_FOLDER;
process.env['PORTOLAN_DEFAULT_REGISTRY'] = 'off';
requireOwnRegistries();
process.env['XDG_RUNTIME_DIR'] = path.join(home, 'run');
process.env['NODE_COMPILE_CACHE'] = path.join(cacheFolder, 'compiled');
// Default folder of Node.js for programs without the variable.
mkdirSync(path.join(cacheFolder, 'compiled'), { recursive: true });
symlinkSync(path.join(cacheFolder, 'compiled'), path.join(TEMPORARY_FOLDER, 'node-compile-cache'));
process.env['npm_config_cache'] = path.join(cacheFolder, 'npm');
process.on('exit', () => {
  rmSync(TEMPORARY_FOLDER, { recursive: true, force: true });
});

/**
 * The socket of a rootless engine is below the user's folders, where the changed environment would not find
 * it.
 */
function keepEngine(): void {
  if (process.env['DOCKER_HOST'] !== undefined || existsSync('/var/run/docker.sock')) return;
  const { runtime, home: user } = theirs;
  const sockets = [
    ...(runtime === undefined ? [] : [`${runtime}/docker.sock`, `${runtime}/podman/podman.sock`]),
    `${user}/.colima/default/docker.sock`,
    `${user}/.docker/run/docker.sock`,
  ];
  const match = sockets.find((socket) => existsSync(socket));
  if (match !== undefined) process.env['DOCKER_HOST'] = `unix://${match}`;
}
