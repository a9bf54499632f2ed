import type { BuildInput, BuildPlan } from '@portolan/plugin-api';
import {
  environmentLines,
  execLine,
  LOAD_CREDENTIALS,
  planStages,
  planSystemStage,
  requirementInvalid,
  scriptLine,
  usersLine,
} from '@portolan/scheme-kit';
import { ENTRY_SCRIPT, START_FILE } from './entry-script.ts';
import { needsIndexedPackage } from './errors.ts';

export const USUAL_BASE = 'node:24-alpine';

/**
 * Two stages: npm installs the package into /app, and what of it is started is
 * found out once, there; the image gets that folder and nothing of npm's. Throws
 * ERR_PACKAGE_FOLDER, ERR_BUILD_REQUIREMENT and ERR_SYSTEM_PACKAGE.
 */
export function planNpmImage(input: BuildInput, registryFlags: readonly string[]): BuildPlan {
  const { reference, buildWith, entryArguments = [], prepared } = input;
  if (buildWith[0] !== undefined) throw requirementInvalid('npx', buildWith[0]);
  if (reference.from !== 'index') throw needsIndexedPackage(reference.path);
  const { name, version, program } = reference;
  const system = planSystemStage(input, USUAL_BASE);
  const wanted = version === undefined ? name : `${name}@${version}`;
  const install = ['npm', 'install', '--prefix', '/app', ...registryFlags, wanted];
  return planStages(system, {
    build: [
      ...environmentLines(NPM_VARIABLES),
      'WORKDIR /app',
      prepared === undefined
        ? execLine('RUN', install)
        : scriptLine([...LOAD_CREDENTIALS, '"$@"', FORGET_REGISTRIES], install),
      execLine('RUN', ['node', '-e', ENTRY_SCRIPT, name, ...(program === undefined ? [] : [program])]),
    ],
    image: [
      'FROM system',
      'COPY --from=build /app /app',
      usersLine(input),
      ...environmentLines({ NODE_ENV: 'production', HOME: '/tmp' }),
    ],
    entry: [START_FILE, ...entryArguments],
  });
}

/** npm notes where each package is from: with some registries a token stands in that address. */
const FORGET_REGISTRIES = 'rm -f /app/package-lock.json /app/node_modules/.package-lock.json';

const NPM_VARIABLES: Readonly<Record<string, string>> = {
  NODE_ENV: 'production',
  npm_config_omit: 'dev',
  npm_config_loglevel: 'error',
  npm_config_fund: 'false',
  npm_config_audit: 'false',
  npm_config_update_notifier: 'false',
  npm_config_progress: 'false',
  // A registry that cannot be trusted or reached does not become so within npm's own minute.
  npm_config_fetch_retry_factor: '2',
  npm_config_fetch_retry_mintimeout: '1000',
  npm_config_fetch_retry_maxtimeout: '5000',
};
