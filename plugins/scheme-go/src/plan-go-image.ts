import type {
  BuildFolder,
  BuildInput,
  BuildPlan,
  BuildPreparation,
  SchemeOptions,
} from '@portolan/plugin-api';
import {
  ADD_USERS,
  CA_BUNDLE,
  environmentLines,
  execLine,
  LOAD_CREDENTIALS,
  planStages,
  planSystemStage,
  requirementInvalid,
  scriptLine,
  usersLine,
  usersOf,
  findAbove,
} from '@portolan/scheme-kit';
import type { GoSettings } from './go-settings.ts';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { folderMissing, moduleMissing } from './errors.ts';

export const USUAL_BASE = 'golang:1.26-alpine';
const SYSTEM_BUNDLE = '/etc/ssl/certs/ca-certificates.crt';
const FLAGS = ['-trimpath', '-buildvcs=false', '-ldflags=-s -w'];

/**
 * Returns the plan of an image. Go compiles one program without C, which is the image's only content besides
 * certificates. With system packages, the image is the base image with these packages. Throws
 * ERR_PACKAGE_FOLDER and ERR_SETTING.
 */
export async function planGoImage(
  input: BuildInput,
  { variables }: GoSettings,
  { workingDirectory }: Pick<SchemeOptions, 'workingDirectory'>,
): Promise<BuildPlan> {
  const { addedPackages, buildWith, entryArguments = [] } = input;
  if (buildWith[0] !== undefined) throw requirementInvalid('go', buildWith[0]);
  const system = planSystemStage(input, USUAL_BASE);
  const isWhole = addedPackages.length > 0;
  const { lines: source, folder } = await planSource(input, workingDirectory);
  return planStages(system, {
    build: [
      ...environmentLines({ ...variables, CGO_ENABLED: '0', GO111MODULE: 'on', GOBIN: '/build/bin' }),
      'WORKDIR /build/source',
      ...source,
      scriptLine([...COLLECT, ...ADD_USERS, 'portolan_users /build/image "$@"'], usersOf(input)),
    ],
    image: [
      ...(isWhole
        ? ['FROM system', 'COPY --from=build /build/image/app /app', usersLine(input)]
        : [
            'FROM scratch',
            'COPY --from=build /build/image/ /',
            ...environmentLines(scratchVariables(input)),
          ]),
      ...environmentLines({ HOME: '/tmp' }),
    ],
    entry: ['/app/server', ...entryArguments],
    folder,
  });
}

async function planSource(
  { reference, prepared }: BuildInput,
  workingDirectory: string,
): Promise<{ readonly lines: readonly string[]; readonly folder?: BuildFolder }> {
  if (reference.from === 'index') {
    const { name, version = 'latest' } = reference;
    return { lines: [installLine(`${name}@${version}`, prepared)] };
  }
  const { root, inside } = await findModuleFolder(reference.path, workingDirectory);
  return {
    lines: ['COPY source/ /build/source/', installLine(inside, prepared)],
    folder: { path: 'source', source: root },
  };
}

function installLine(what: string, prepared: BuildPreparation | undefined): string {
  const words = ['go', 'install', ...FLAGS, what];
  return prepared === undefined
    ? execLine('RUN', words)
    : scriptLine([...LOAD_CREDENTIALS, 'exec "$@"'], words);
}

/** An image from scratch inherits no variables, so they are set here. */
function scratchVariables({ environment }: BuildInput): Readonly<Record<string, string>> {
  return { ...environment, SSL_CERT_FILE: SYSTEM_BUNDLE };
}

/** Script that moves the program. `go install` names it after its path, and creates none for a library. */
const COLLECT: readonly string[] = [
  'set -eu',
  'portolan_programs() {',
  'if [ "$#" -ne 1 ] || [ ! -f "$1" ]; then',
  '  echo "portolan: the package is no program: it has no package main" >&2; exit 1',
  'fi',
  'mkdir -p /build/image/app /build/image/etc/ssl/certs /build/image/tmp',
  'chmod 1777 /build/image/tmp',
  'mv "$1" /build/image/app/server',
  '}',
  'portolan_programs /build/bin/*',
  `for bundle in ${CA_BUNDLE} ${SYSTEM_BUNDLE} /etc/ssl/cert.pem; do`,
  `  if [ -s "$bundle" ]; then cat "$bundle" > /build/image${SYSTEM_BUNDLE}; break; fi`,
  'done',
];

interface ModuleFolder {
  /** Absolute path of the folder with the `go.mod`. */
  readonly root: string;
  /** Path of the package in the module, in Go's form: `.`, `./cmd/server`. */
  readonly inside: string;
}

/** Throws ERR_PACKAGE_FOLDER. */
export async function findModuleFolder(named: string, workingDirectory: string): Promise<ModuleFolder> {
  const folder = path.resolve(workingDirectory, named);
  if (!(await isFolder(folder))) throw folderMissing(named, folder);
  const root = findAbove(folder, 'go.mod');
  if (root === undefined) throw moduleMissing(folder);
  const below = path.relative(root, folder).split(path.sep).join('/');
  return { root, inside: below === '' ? '.' : `./${below}` };
}

async function isFolder(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isDirectory();
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR'].includes(String(error.code)))
      return false;
    throw error;
  }
}
