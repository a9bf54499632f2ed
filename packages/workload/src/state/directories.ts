import path from 'node:path';
import { createHash } from 'node:crypto';

/** Folders in which Portolan stores this user's data, as absolute paths. The folders need not exist. */
export interface Directories {
  readonly config: string;
  /** Possible paths of the global ignore file; the first existing one is used. */
  readonly ignoreFiles: readonly string[];
  readonly runConfigs: string;
  readonly groups: string;
  readonly statuses: string;
  /** Folder for the recorded data of policies, with one subfolder per workload. */
  readonly policies: string;
  readonly logs: string;
  readonly secrets: string;
  /** Folder of sockets, which the system empties on a reboot. */
  readonly runtime: string;
}

export interface DirectoryFacts {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly temporary: string;
  readonly userId: number | undefined;
}

const NAME = 'portolan';

/**
 * Returns the folders of the XDG Base Directory Specification. On macOS all three base folders are
 * `Application Support`; on Windows they are the roaming and local application data. Ignores variables that
 * are not absolute paths, as the specification demands.
 */
export function directoriesOf(facts: DirectoryFacts): Directories {
  const { platform, home, environment } = facts;
  const paths = platform === 'win32' ? path.win32 : path.posix;
  const variable = (name: string): string | undefined => {
    const value = environment[name];
    return value !== undefined && paths.isAbsolute(value) ? value : undefined;
  };
  const [config, state, data] = rootsOf(platform, paths, home, variable);
  const root = (xdg: string, fallback: string): string => paths.join(variable(xdg) ?? fallback, NAME);
  const configRoot = root('XDG_CONFIG_HOME', config);
  const stateRoot = root('XDG_STATE_HOME', state);
  const dataRoot = root('XDG_DATA_HOME', data);
  const ignoreFile = `${NAME}ignore`;
  return {
    config: configRoot,
    ignoreFiles: [
      ...new Set([paths.join(configRoot, ignoreFile), paths.join(home, '.config', NAME, ignoreFile)]),
    ],
    runConfigs: paths.join(stateRoot, 'runconfigs'),
    groups: paths.join(stateRoot, 'groups'),
    statuses: paths.join(dataRoot, 'statuses'),
    policies: paths.join(dataRoot, 'policies'),
    logs: paths.join(dataRoot, 'logs'),
    secrets: paths.join(dataRoot, 'secrets'),
    runtime: runtimeRoot(facts, paths, variable('XDG_RUNTIME_DIR')),
  };
}

function rootsOf(
  platform: NodeJS.Platform,
  paths: path.PlatformPath,
  home: string,
  variable: (name: string) => string | undefined,
): readonly [config: string, state: string, data: string] {
  if (platform === 'darwin') {
    const support = paths.join(home, 'Library', 'Application Support');
    return [support, support, support];
  }
  if (platform === 'win32') {
    const local = variable('LOCALAPPDATA') ?? paths.join(home, 'AppData', 'Local');
    return [variable('APPDATA') ?? paths.join(home, 'AppData', 'Roaming'), local, local];
  }
  return [
    paths.join(home, '.config'),
    paths.join(home, '.local', 'state'),
    paths.join(home, '.local', 'share'),
  ];
}

function runtimeRoot(
  { temporary, userId }: DirectoryFacts,
  paths: path.PlatformPath,
  xdg: string | undefined,
): string {
  return xdg === undefined
    ? paths.join(temporary, userId === undefined ? NAME : `${NAME}-${userId}`)
    : paths.join(xdg, NAME);
}

/**
 * Returns a short, stable identifier for the runtime folder of a workload. The path of a Unix socket in that
 * folder may have at most 107 bytes.
 */
export function runtimeIdOf(name: string, { statuses }: Pick<Directories, 'statuses'>): string {
  return createHash('sha256').update(`${statuses}\0${name}`).digest('hex').slice(0, 12);
}
