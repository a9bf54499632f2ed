import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { requireOwnRegistries } from './require-own-registries.ts';

/**
 * Where tests of this process make temporary files: whatever is left there goes
 * with the process, and fails the run (`reporter.ts`). Its name is short, since
 * the paths of sockets below it have to be.
 */
export const TEMPORARY_FOLDER = mkdtempSync(path.join(tmpdir(), 'pt-'));
// As the folder for all: who is let into a folder below may come by.
chmodSync(TEMPORARY_FOLDER, 0o711);

/**
 * Gives the tests of this process a home and folders of their own, whatever the
 * user of this machine has in theirs: plugins, settings, workloads. Mocha loads
 * this before every test (`.mocharc.json`). What is dear to make again, code
 * that V8 has compiled and packages of npm, is kept below `node_modules`.
 */
const theirs = { home: homedir(), runtime: process.env['XDG_RUNTIME_DIR'] };
const home = path.join(TEMPORARY_FOLDER, 'home');
const kept = path.resolve(import.meta.dirname, '../../node_modules/.cache/portolan-tests');
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
process.env['NODE_COMPILE_CACHE'] = path.join(kept, 'compiled');
// Where Node.js has it for programs that are not told.
mkdirSync(path.join(kept, 'compiled'), { recursive: true });
symlinkSync(path.join(kept, 'compiled'), path.join(TEMPORARY_FOLDER, 'node-compile-cache'));
process.env['npm_config_cache'] = path.join(kept, 'npm');
process.on('exit', () => {
  rmSync(TEMPORARY_FOLDER, { recursive: true, force: true });
});

/** An engine of the user's own listens below their folders, where it would no longer be looked for. */
function keepEngine(): void {
  if (process.env['DOCKER_HOST'] !== undefined || existsSync('/var/run/docker.sock')) return;
  const { runtime, home: user } = theirs;
  const sockets = [
    ...(runtime === undefined ? [] : [`${runtime}/docker.sock`, `${runtime}/podman/podman.sock`]),
    `${user}/.colima/default/docker.sock`,
    `${user}/.docker/run/docker.sock`,
  ];
  const found = sockets.find((socket) => existsSync(socket));
  if (found !== undefined) process.env['DOCKER_HOST'] = `unix://${found}`;
}
