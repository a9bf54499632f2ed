import { isJsonObject } from '@portolan/plugin-api';
import { folderUnusable, type PackageFolder, readProjectFile } from '@portolan/scheme-kit';

export interface NpmFolder {
  readonly root: string;
  /** Name of the package; `server` where the package.json has no valid name. */
  readonly name: string;
}

const NAME = /^(?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*$/i;

/** Files to leave out, because the build creates them itself or they may contain tokens. */
export const LEFT_OUT: readonly string[] = ['**/node_modules', '**/.npmrc'];

/** Throws ERR_PACKAGE_FOLDER. */
export async function readNpmFolder(reference: PackageFolder, workingDirectory: string): Promise<NpmFolder> {
  const { root, text } = await readProjectFile(reference, 'package.json', workingDirectory);
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw folderUnusable(root, 'its package.json is not JSON', error);
  }
  const name = isJsonObject(document) ? document['name'] : undefined;
  return { root, name: typeof name === 'string' && NAME.test(name) ? name : 'server' };
}

/**
 * Builds in the folder with its own scripts, and moves the package to where installed ones are. The first
 * argument is its name, the others are flags of npm. A package without `bin` starts with its `main`.
 */
export const FOLDER_SCRIPT: readonly string[] = [
  'name=$1',
  'shift',
  'if [ -f package-lock.json ] || [ -f npm-shrinkwrap.json ]; then npm ci --include=dev "$@"',
  'else npm install --include=dev "$@"; fi',
  'npm run build --if-present',
  'npm prune --omit=dev "$@"',
  "node -e '",
  'const { readFileSync, writeFileSync } = require("node:fs");',
  'const manifest = JSON.parse(readFileSync("package.json", "utf8"));',
  'if (manifest.bin === undefined && manifest.main !== undefined) {',
  '  writeFileSync("package.json", JSON.stringify({ ...manifest, bin: manifest.main }));',
  "}'",
  'mkdir -p "/app/node_modules/$name"',
  'cp -a . "/app/node_modules/$name"',
];
