import { createRequire } from 'node:module';
import type Docker from 'dockerode';

/**
 * Parts of dockerode that load large libraries and are never used here: gRPC
 * for BuildKit's sessions, and ssh2, in whose place the ssh program is used.
 */
const UNUSED = [
  { of: 'dockerode', file: 'lib/session.js' },
  { of: 'docker-modem', file: 'lib/ssh.js' },
] as const;

/**
 * Loads dockerode on first use, without gRPC and ssh2: empty modules stand in
 * for its two parts that need them while it loads, and are taken away again.
 * Where the parts are elsewhere (another version, a bundle), they are loaded.
 */
export function loadDockerode(): typeof Docker {
  const require = createRequire(import.meta.url);
  const main = require.resolve('dockerode');
  const fromDockerode = createRequire(main);
  const placed: string[] = [];
  for (const { of, file } of UNUSED) {
    const path = placeOf(of === 'dockerode' ? require : fromDockerode, `${of}/${file}`);
    if (path === undefined || require.cache[path] !== undefined) continue;
    require.cache[path] = emptyModule(require, path);
    placed.push(path);
  }
  try {
    return require('dockerode');
  } finally {
    for (const path of placed) delete require.cache[path];
  }
}

function placeOf(require: NodeJS.Require, specifier: string): string | undefined {
  try {
    return require.resolve(specifier);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

function emptyModule(require: NodeJS.Require, path: string): NodeJS.Module {
  return {
    id: path,
    path,
    filename: path,
    exports: {},
    require,
    loaded: true,
    children: [],
    paths: [],
    parent: null,
    isPreloading: false,
  };
}
