import path from 'node:path';
import { createHash } from 'node:crypto';

/** Folders of this user, all absolute. None has to exist. */
export interface Directories {
  /** `config.yaml`, the global ignore file. */
  readonly config: string;
  /** Where the global ignore file may be, best first. */
  readonly ignoreFiles: readonly string[];
  readonly runConfigs: string;
  readonly groups: string;
  readonly statuses: string;
  /** A folder for each workload, for what its policies keep. */
  readonly policies: string;
  readonly logs: string;
  readonly secrets: string;
  /** Sockets of running workloads; gone after a restart of the machine. */
  readonly runtime: string;
}

export interface DirectoryFacts {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly temporary: string;
  /** User id; undefined where there are none. */
  readonly userId: number | undefined;
}

const NAME = 'portolan';

/**
 * The folders by the XDG base directory rules; on macOS all three are the
 * application support folder, on Windows the roaming and local ones. A variable
 * that is no absolute path does not count (XDG base directory specification).
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
 * A short name for a workload's runtime folder, always the same for one name
 * and state folder: the path of a Unix socket in it has at most 107 bytes.
 */
export function runtimeIdOf(name: string, { statuses }: Pick<Directories, 'statuses'>): string {
  return createHash('sha256').update(`${statuses}\0${name}`).digest('hex').slice(0, 12);
}
