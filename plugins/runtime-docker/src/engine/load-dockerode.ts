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
 * The bundle of this package holds dockerode, with its parts left out when it was built.
 */
export async function loadDockerode(): Promise<typeof Docker> {
  const require = createRequire(import.meta.url);
  const isBuilt = !import.meta.filename.endsWith('.ts');
  const placed = isBuilt ? [] : placeEmptyModules(require, createRequire(require.resolve('dockerode')));
  try {
    return (await import('dockerode')).default;
  } finally {
    for (const path of placed) delete require.cache[path];
  }
}

function placeEmptyModules(require: NodeJS.Require, fromDockerode: NodeJS.Require): readonly string[] {
  const placed: string[] = [];
  for (const { of, file } of UNUSED) {
    const path = placeOf(of === 'dockerode' ? require : fromDockerode, `${of}/${file}`);
    if (path === undefined || require.cache[path] !== undefined) continue;
    require.cache[path] = emptyModule(require, path);
    placed.push(path);
  }
  return placed;
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
