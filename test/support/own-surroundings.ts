import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { requireOwnRegistries } from './require-own-registries.ts';

/**
 * Gives the tests of this process a home and folders of their own, whatever the
 * user of this machine has in theirs: plugins, settings, workloads. Mocha loads
 * this before every test (`.mocharc.json`). What is dear to make again, code
 * that V8 has compiled and packages of npm, is kept below `node_modules`.
 */
const theirs = { home: homedir(), runtime: process.env['XDG_RUNTIME_DIR'] };
const home = mkdtempSync(path.join(tmpdir(), 'portolan-home-'));
const kept = path.resolve(import.meta.dirname, '../../node_modules/.cache/portolan-tests');
mkdirSync(path.join(home, 'run'), { mode: 0o700 });

for (const name of Object.keys(process.env)) {
  if (/^XDG_.*_(?:HOME|DIR)$/.test(name)) delete process.env[name];
}
keepEngine();
process.env['HOME'] = home;
process.env['PORTOLAN_DEFAULT_REGISTRY'] = 'off';
requireOwnRegistries();
process.env['XDG_RUNTIME_DIR'] = path.join(home, 'run');
process.env['NODE_COMPILE_CACHE'] = path.join(kept, 'compiled');
process.env['npm_config_cache'] = path.join(kept, 'npm');
process.on('exit', () => {
  rmSync(home, { recursive: true, force: true });
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
