type Environment = Readonly<Record<string, string | undefined>>;

export type GitSettings = Readonly<Record<string, string>>;

export interface GitVariablesInput {
  /** Environment of this process, of which git gets only a few variables. */
  readonly environment: Environment;
  /** Home folder for git, which is empty or missing. */
  readonly home: string;
  /** Folder of the repository; undefined when the call needs none. */
  readonly repository?: string;
  /** The only protocol that git may use. Undefined permits none. */
  readonly scheme?: string;
  readonly settings?: GitSettings;
  readonly more?: Readonly<Record<string, string>>;
}

/** Variables that name programs and trusted certificates of this machine, which git gets. */
const HANDED_ON = ['PATH', 'TMPDIR', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'LD_LIBRARY_PATH'];

/** Maximum size of content that git loads into memory; it streams or refuses larger content. */
const LARGEST_PIECE = '256m';

/**
 * Returns the environment for git. Nothing of the machine's git applies: no configuration, hook, helper,
 * prompt or proxy variable. Settings are variables too, so that none is an argument or a file.
 */
export function gitVariables({
  environment,
  home,
  repository,
  scheme,
  settings = {},
  more = {},
}: GitVariablesInput): Readonly<Record<string, string>> {
  const all = Object.entries({ ...EVERYWHERE, ...settings });
  return {
    ...Object.fromEntries(HANDED_ON.flatMap((name) => pairOf(name, environment[name]))),
    ...NOTHING_OF_THE_MACHINE,
    HOME: home,
    XDG_CONFIG_HOME: home,
    GIT_ALLOW_PROTOCOL: scheme ?? 'none',
    ...(repository === undefined ? {} : { GIT_DIR: repository }),
    GIT_CONFIG_COUNT: String(all.length),
    ...Object.fromEntries(
      all.flatMap(([key, value], at) => [
        [`GIT_CONFIG_KEY_${at}`, key],
        [`GIT_CONFIG_VALUE_${at}`, value],
      ]),
    ),
    ...more,
  };
}

function pairOf(name: string, value: string | undefined): readonly (readonly [string, string])[] {
  return value === undefined ? [] : [[name, value]];
}

const NOTHING_OF_THE_MACHINE = {
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '',
  SSH_ASKPASS: '',
  SSH_ASKPASS_REQUIRE: 'never',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOC_LIMIT: LARGEST_PIECE,
} as const;

const EVERYWHERE: GitSettings = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.alternateRefsCommand': '',
  'core.bigFileThreshold': '8m',
  'credential.helper': '',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'transfer.bundleURI': 'false',
  'transfer.credentialsInUrl': 'die',
  'submodule.recurse': 'false',
};
