import {
  type BuildFolder,
  type BuildInput,
  type BuildPlan,
  type IndexedPackage,
  type SchemeOptions,
  isJsonObject,
} from '@portolan/plugin-api';
import {
  environmentLines,
  execLine,
  IMAGE_USER,
  LOAD_CREDENTIALS,
  type PackageFolder,
  planStages,
  planSystemStage,
  requirementInvalid,
  scriptLine,
  usersLine,
  folderUnusable,
  readProjectFile,
} from '@portolan/scheme-kit';
import { ENTRY_SCRIPT, START_FILE } from './entry-script.ts';

interface NpmFolder {
  readonly root: string;
  /** Name of the package; `server` where the package.json has no valid name. */
  readonly name: string;
}

const NAME = /^(?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*$/i;

/** Files to leave out, because the build creates them itself or they may contain tokens. */
const LEFT_OUT: readonly string[] = ['**/node_modules', '**/.npmrc'];

/** Throws ERR_PACKAGE_FOLDER. */
async function readNpmFolder(reference: PackageFolder, workingDirectory: string): Promise<NpmFolder> {
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
const FOLDER_SCRIPT: readonly string[] = [
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

export const USUAL_BASE = 'node:24-alpine';

/**
 * Returns the plan of an image. npm installs the package into /app, or builds a folder and moves it there. A
 * script determines the program once. npm itself is not part of the image. Throws ERR_PACKAGE_FOLDER and
 * ERR_SETTING.
 */
export async function planNpmImage(
  input: BuildInput,
  registryFlags: readonly string[],
  { workingDirectory }: Pick<SchemeOptions, 'workingDirectory'>,
): Promise<BuildPlan> {
  const { reference, buildWith, entryArguments = [] } = input;
  if (buildWith[0] !== undefined) throw requirementInvalid('npx', buildWith[0]);
  const { program } = reference;
  const system = planSystemStage(input, USUAL_BASE);
  const { lines, name, folder } =
    reference.from === 'index'
      ? installPackage(reference, registryFlags, input)
      : await buildFolder(reference, registryFlags, input, workingDirectory);
  return planStages(system, {
    folder,
    build: [
      ...lines,
      execLine('RUN', ['node', '-e', ENTRY_SCRIPT, name, ...(program === undefined ? [] : [program])]),
    ],
    image: [
      'FROM system',
      // A server with a writable root may write to its own folder.
      `COPY --from=build --chown=${IMAGE_USER} /app /app`,
      usersLine(input),
      ...environmentLines({ NODE_ENV: 'production', HOME: '/tmp' }),
    ],
    entry: [START_FILE, ...entryArguments],
  });
}

interface Installation {
  readonly lines: readonly string[];
  readonly name: string;
  readonly folder?: BuildFolder;
}

function installPackage(
  { name, version }: IndexedPackage,
  registryFlags: readonly string[],
  { prepared }: BuildInput,
): Installation {
  const requested = version === undefined ? name : `${name}@${version}`;
  const install = ['npm', 'install', '--prefix', '/app', ...registryFlags, requested];
  const lines = [
    ...environmentLines({ NODE_ENV: 'production', npm_config_omit: 'dev', ...NPM_VARIABLES }),
    'WORKDIR /app',
    prepared === undefined
      ? execLine('RUN', install)
      : scriptLine([...LOAD_CREDENTIALS, '"$@"', forgetRegistries('/app')], install),
  ];
  return { lines, name };
}

async function buildFolder(
  reference: PackageFolder,
  registryFlags: readonly string[],
  { prepared }: BuildInput,
  workingDirectory: string,
): Promise<Installation> {
  const { root, name } = await readNpmFolder(reference, workingDirectory);
  const script =
    prepared === undefined
      ? ['set -eu', ...FOLDER_SCRIPT]
      : [...LOAD_CREDENTIALS, ...FOLDER_SCRIPT, forgetRegistries(`/app/node_modules/${name}`)];
  const lines = [
    ...environmentLines(NPM_VARIABLES),
    'WORKDIR /build/source',
    'COPY source/ /build/source/',
    scriptLine(script, [name, ...registryFlags]),
    'WORKDIR /app',
  ];
  return { lines, name, folder: { path: 'source', source: root, leavesOut: LEFT_OUT } };
}

/**
 * Returns the command that removes npm's record of each package's origin: with some registries, that address
 * contains a token.
 */
function forgetRegistries(folder: string): string {
  return `rm -f ${folder}/package-lock.json ${folder}/node_modules/.package-lock.json`;
}

const NPM_VARIABLES: Readonly<Record<string, string>> = {
  npm_config_loglevel: 'error',
  npm_config_fund: 'false',
  npm_config_audit: 'false',
  npm_config_update_notifier: 'false',
  npm_config_progress: 'false',
  // Longer retries than npm's one minute do not help with an untrusted or unreachable registry.
  npm_config_fetch_retry_factor: '2',
  npm_config_fetch_retry_mintimeout: '1000',
  npm_config_fetch_retry_maxtimeout: '5000',
};
