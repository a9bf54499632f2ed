import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { printable } from '../terminal/printable.ts';
import { npmFailed } from './plugin-errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface NpmOptions {
  /** Folder that npm changes, absolute. */
  readonly folder: string;
  readonly environment: Environment;
  /** Verb phrase that completes the error "npm could not …". */
  readonly task: string;
  /** Whether to print npm's own output on standard error. */
  readonly verbose: boolean;
}

export interface FetchOptions extends NpmOptions {
  /**
   * `root`: npm fetches only the Git repositories that the user names, and no Git dependencies of a plugin.
   */
  readonly allowGit: 'root' | 'all';
  /**
   * Whether npm may clone a Git repository. Then npm gets no credentials, because a `.npmrc` in the clone can
   * send any variable to any host.
   */
  readonly mayClone: boolean;
}

const MAX_TEXT_LENGTH = 600;

/** Variables that install scripts get: paths of programs, folders and certificates, but no credentials. */
const SCRIPT_VARIABLES =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|CC|CXX|CFLAGS|CXXFLAGS|LDFLAGS|PYTHON|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|XDG_CACHE_HOME|npm_config_(?:cache|offline|nodedir|python)|SystemRoot|windir|ComSpec|PATHEXT|APPDATA|LOCALAPPDATA|USERPROFILE|ProgramFiles)$/i;

/** Variables that npm and Git get in addition: proxies, settings of npm, and what Git needs for SSH and TLS. */
const NPM_VARIABLES =
  /^(?:(?:HTTPS?|ALL|NO)_PROXY|npm_config_.+|XDG_CONFIG_HOME|SSH_AUTH_SOCK|GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|SSL_CAINFO|SSL_CAPATH|SSL_NO_VERIFY|ASKPASS|TERMINAL_PROMPT|CONFIG_GLOBAL|CONFIG_SYSTEM|CONFIG_NOSYSTEM))$/i;

/** Credentials of the package index. npm gets them only if it clones no repository. */
const INDEX_CREDENTIALS = /^(?:NPM_TOKEN|NODE_AUTH_TOKEN|npm_config_.*(?:auth|token|password|key|otp).*)$/i;

/** Matches settings of npm that only Portolan sets. */
const OWN_SETTINGS = /^npm_config_(?:git|allow[_-]git|ignore[_-]scripts)$/i;

/**
 * Runs npm without install scripts: `--ignore-scripts` on the command line, and
 * in the environment for the npm that npm starts in the clone of a Git
 * repository. Both run the same `git`, which a `.npmrc` in the clone cannot change.
 * Throws ERR_PLUGIN_NPM.
 */
export async function runNpm(words: readonly string[], options: FetchOptions): Promise<void> {
  const { allowGit, mayClone } = options;
  const environment = Object.fromEntries(
    Object.entries(options.environment).filter(([name]) => {
      if (OWN_SETTINGS.test(name)) return false;
      if (INDEX_CREDENTIALS.test(name)) return !mayClone;
      return SCRIPT_VARIABLES.test(name) || NPM_VARIABLES.test(name);
    }),
  );
  const registry = options.environment['PORTOLAN_NPM_REGISTRY'];
  await startNpm(
    [
      ...words,
      '--ignore-scripts',
      `--allow-git=${allowGit}`,
      ...(registry === undefined ? [] : [`--registry=${registry}`]),
    ],
    { ...environment, npm_config_ignore_scripts: 'true', npm_config_git: await findGit(environment) },
    options,
  );
}

/**
 * Returns the absolute path of the first `git` in PATH. Without one, returns a path
 * next to Node.js, so that npm reports it as missing and no `.npmrc` can name another.
 */
async function findGit(environment: Environment): Promise<string> {
  const file = process.platform === 'win32' ? 'git.exe' : 'git';
  const list = Object.entries(environment).find(([name]) => name.toUpperCase() === 'PATH')?.[1] ?? '';
  for (const folder of list.split(path.delimiter).filter((one) => path.isAbsolute(one))) {
    const program = path.join(folder, file);
    const isProgram = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isProgram) return program;
  }
  return path.join(path.dirname(process.execPath), file);
}

/**
 * Runs the install scripts of these packages, written `NAME@VERSION`. The
 * scripts get the variables of `SCRIPT_VARIABLES` and no others. Throws
 * ERR_PLUGIN_NPM when a script fails.
 */
export async function runInstallScripts(packages: readonly string[], options: NpmOptions): Promise<void> {
  const environment = Object.fromEntries(
    Object.entries(options.environment).filter(([name]) => SCRIPT_VARIABLES.test(name)),
  );
  // The user has allowed these scripts on the command line, which overrides the settings of ~/.npmrc.
  const words = ['rebuild', ...packages, '--ignore-scripts=false', '--strict-allow-scripts=false'];
  await startNpm(words, environment, options);
}

async function startNpm(words: readonly string[], environment: Environment, options: NpmOptions) {
  const { folder, task, verbose } = options;
  const settings = ['--omit=dev', '--no-audit', '--no-fund'];
  const child = spawn(
    process.execPath,
    [npmProgram(), ...words, ...settings, `--loglevel=${verbose ? 'verbose' : 'error'}`],
    {
      cwd: folder,
      env: { ...environment, npm_config_update_notifier: 'false', HUSKY: '0' },
      stdio: ['ignore', verbose ? 'pipe' : 'ignore', 'pipe'],
    },
  );
  let message = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    message = `${message}${text}`.slice(-8 * MAX_TEXT_LENGTH);
    if (verbose) process.stderr.write(text);
  });
  child.stdout?.pipe(process.stderr, { end: false });
  // SAFETY: the arguments of the event `close` of a child process.
  const [status] = (await once(child, 'close')) as [number | null];
  if (status !== 0) throw npmFailed(task, summarize(message));
}

/** Returns npm's error lines as one line, without the prefix `npm error` and the path of npm's log. */
function summarize(said: string): string {
  const lines = said
    .split('\n')
    .filter((line) => line.startsWith('npm error'))
    .map((line) => line.replace(/^npm error ?(?:code |\d{3} ?)?/, '').trim())
    .filter((line) => line !== '' && !/^A complete log|^(?:\/|[A-Z]:\\).*-debug-\d\.log$/.test(line));
  const text = printable((lines.length === 0 ? said.split('\n').slice(-5) : lines).join('; ')).trim();
  return text === '' ? 'it gave no reason' : text.slice(0, MAX_TEXT_LENGTH);
}

/** Returns the npm that this package depends on. */
function npmProgram(): string {
  return path.join(
    path.dirname(createRequire(import.meta.url).resolve('npm/package.json')),
    'bin/npm-cli.js',
  );
}
