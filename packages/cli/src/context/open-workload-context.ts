import type { SecretValues } from '@portolan/kernel';
import { type Logger, standardError } from '@portolan/plugin-api';
import {
  type Directories,
  directoriesOf,
  HardeningTap,
  readUserConfig,
  type WorkloadContext,
  WorkloadStore,
  secretStoreContext,
} from '@portolan/workload';
import { NO_USER_SETTINGS, type UserSettings, OFFICIAL_REGISTRY } from '@portolan/run-spec';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { addAbortSignal } from 'node:stream';
import { badArgument } from '../terminal/terminal-errors.ts';
import { GATEWAY_IMAGE } from './gateway-image.ts';
import { findInstalledPlugins } from './installed-plugins.ts';
import { CallCounts } from './count-calls.ts';
import { LazyKernel, LazyKinds } from './lazy-kinds.ts';
import { packageFolder, readVersion } from './read-version.ts';
import { readInput, STANDARD_INPUT } from '../terminal/read-input.ts';
import { SHIPPED_FROM, SHIPPED_KINDS } from './shipped-plugins.ts';
import { directoriesOfUser } from './user-directories.ts';
import { readdir } from 'node:fs/promises';
import { printable } from '../terminal/printable.ts';

const ENDINGS = ['ts', 'js', 'mjs', 'yaml', 'yml', 'json'];

/**
 * Returns the path of the user's own `portolan.config.*` in their config directory; undefined when there is
 * none.
 */
async function findUserConfiguration(directory: string): Promise<string | undefined> {
  const files = await filesIn(directory);
  const userConfiguration = ENDINGS.map((ending) => `portolan.config.${ending}`).find((file) =>
    files.includes(file),
  );
  return userConfiguration === undefined ? undefined : path.join(directory, userConfiguration);
}

async function filesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) {
      return [];
    }
    throw error;
  }
}

/** Variable with the API address of the default registry, for users who have set none; `off` disables it. */
const DEFAULT_REGISTRY = 'PORTOLAN_DEFAULT_REGISTRY';

/**
 * Returns the address of the default registry; undefined when the user has set a registry, or the environment
 * disables it.
 */
export function findDefaultRegistry(
  { usesDefaultRegistry }: Pick<UserSettings, 'usesDefaultRegistry'>,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const named = environment[DEFAULT_REGISTRY] || OFFICIAL_REGISTRY;
  return usesDefaultRegistry && named.toLowerCase() !== 'off' ? named : undefined;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Maximum number of bytes from standard input, more than any command needs. */
const MAX_INPUT_BYTES = 16 * 1024 * 1024;

/**
 * Whether unreadable user settings fail a command (`needed`) or only cause a warning (`wanted`). Commands
 * that stop workloads or show their state do not depend on the settings.
 */
export type SettingsNeed = 'needed' | 'wanted';

export interface WorkloadContextOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly debug: boolean;
  /** Path of the command line or PORTOLAN_CONFIG; by default, the file in the user's config directory, if any. */
  readonly configFile: string | undefined;
  /** Version of the program; by default, that of this package. */
  readonly version?: string;
  /**
   * Whether to load the kinds of plugins at once, so that their names are known. By default, the first use of
   * a kind loads them.
   */
  readonly needsKinds?: boolean;
  readonly settings?: SettingsNeed;
  /** Logger; by default, it writes warnings and errors to standard error, and everything with `debug`. */
  readonly logger?: Logger;
  /** Asks for a password; undefined without a terminal. */
  readonly askPassword?: ((question: string, signal?: AbortSignal) => Promise<string>) | undefined;
}

export interface OpenedContext extends WorkloadContext {
  /** Absolute path of the configuration that names plugins; undefined when there is none. */
  readonly configFile: string | undefined;
  close(): Promise<void>;
}

/**
 * Opens the context of workload commands and supervisors: the directories, settings, secrets and plugins of
 * this user. Nothing in the working directory decides which plugins run. Throws ERR_CONFIG_*, ERR_PLUGIN_*
 * and ERR_USER_SETTINGS.
 */
export async function openWorkloadContext(options: WorkloadContextOptions): Promise<OpenedContext> {
  const { environment, debug } = options;
  const place = directoriesOfUser(environment);
  const directories = directoriesOf(place);
  const clock = (): Date => new Date();
  const configFile =
    options.configFile === undefined
      ? await findUserConfiguration(directories.config)
      : path.resolve(options.configFile);
  let secrets: SecretValues | undefined;
  const logger =
    options.logger ??
    createCommandLogger({
      debug,
      write: (text) => standardError.write(text, 'text'),
      mask: (text) => secrets?.mask(text) ?? text,
    });
  let typed: string | undefined;
  const calls = debug ? new CallCounts(() => performance.now()) : undefined;
  const hardening = new HardeningTap();
  const kernel = new LazyKernel(async () => {
    const { openWorkloadKernel, SecretValues: Values } = await import('@portolan/kernel/workload');
    secrets = new Values();
    return await openWorkloadKernel({
      environment,
      configFile,
      directory: directories.config,
      shipped: SHIPPED_KINDS,
      shippedFrom: SHIPPED_FROM,
      builtIn: [hardening.plugin],
      installed: await findInstalledPlugins(environment),
      logger,
      debug,
      clock,
      secrets,
    });
  });
  // Report a missing named file at once, not at the first use of a kind.
  const isGone = options.configFile !== undefined && !existsSync(configFile ?? '');
  if (isGone || options.needsKinds === true) await kernel.open();
  const settings = await readSettings(directories, options.settings ?? 'needed', logger);
  const user = {
    ...settings,
    gatewayImage: environment[GATEWAY_IMAGE] || settings.gatewayImage,
    defaultRegistryUrl: findDefaultRegistry(settings, environment),
  };
  return {
    directories,
    environment,
    home: place.home,
    workingDirectory: process.cwd(),
    readInput: readStandardInput,
    store: new WorkloadStore({ directories, clock }),
    user,
    kinds: new LazyKinds({
      kernel,
      calls,
      runtimeName: runtimeNameIn(environment),
      secretContext: async () => {
        // Read only when needed, because a supervisor sets it after opening the context.
        const { askPassword } = options;
        const asking = async (question: string, signal?: AbortSignal): Promise<string> => {
          typed = await askPassword?.(question, signal);
          return typed ?? '';
        };
        return secretStoreContext({
          directories,
          environment,
          askPassword: askPassword === undefined ? undefined : asking,
        });
      },
    }),
    hooks: {
      containerStart: async (draft, { harden, check }) => {
        const { hooks } = await kernel.open();
        return await hardening.during(draft.name, harden, () => hooks.containerStart(draft, check));
      },
      containerExit: async (exit) => await (await kernel.open()).hooks.containerExit(exit),
    },
    logger,
    isDebug: debug,
    clock,
    openFetch: async (fetchOptions) => await (await import('@portolan/outbound')).openFetch(fetchOptions),
    lookUpHost: async (hostname) => await (await import('@portolan/outbound')).lookUpHost(hostname),
    trustOnly: (certificates) => {
      // Sets the CA certificates of the whole process, so that they also apply to connections that plugins
      // open. Loads `node:tls` on demand, because it is slow to load.
      process.getBuiltinModule('node:tls').setDefaultCACertificates(certificates.match(CERTIFICATE) ?? []);
    },
    storePassword: () => environment['PORTOLAN_SECRETS_PASSWORD'] || typed,
    version: options.version ?? (await readVersion()),
    launcher: [process.execPath, path.join(packageFolder(), 'bin/portolan.js')],
    configFile,
    close: async () => {
      const callSummary = calls?.describe() ?? '';
      if (callSummary !== '') logger.debug({}, `calls to the container engine: ${callSummary}`);
      await kernel.close();
    },
  };
}

async function readStandardInput(signal: AbortSignal): Promise<string> {
  const bytes = await readInput(STANDARD_INPUT, addAbortSignal(signal, process.stdin), MAX_INPUT_BYTES);
  if (bytes === undefined) throw badArgument('standard input is too long; expected at most 16 MiB');
  return bytes.toString('utf8');
}

async function readSettings(
  directories: Pick<Directories, 'config'>,
  need: SettingsNeed,
  logger: Logger,
): Promise<UserSettings> {
  try {
    return await readUserConfig(directories);
  } catch (error) {
    if (need === 'needed' || !(error instanceof Error)) throw error;
    logger.warn({}, error.message.replaceAll(/\s*\n\s*/g, ' '));
    return NO_USER_SETTINGS;
  }
}

/** Returns the kind of runtime. Podman uses the Docker plugin, which then connects to Podman's socket. */
function runtimeNameIn({ PORTOLAN_RUNTIME: name }: Readonly<Record<string, string | undefined>>): string {
  return name === undefined || name === '' || name === 'podman' ? 'docker' : name;
}

interface CommandLoggerOptions {
  readonly debug: boolean;
  readonly write: (text: string) => unknown;
  readonly mask: (text: string) => string;
}

/**
 * Creates a logger for interactive commands: warnings and errors as lines with their level, everything with
 * `debug`. Much smaller than the servers' logger.
 */
export function createCommandLogger({ debug, write, mask }: CommandLoggerOptions): Logger {
  const line =
    (level: string) =>
    (fields: object, message: string): void => {
      write(`${printable(mask(`${level}: ${message}${textOf(fields)}`))}\n`);
    };
  const nothing = (): void => undefined;
  return {
    debug: debug ? line('debug') : nothing,
    info: debug ? line('info') : nothing,
    warn: line('warning'),
    error: line('error'),
  };
}

function textOf(fields: object): string {
  const inputs = Object.entries(fields).filter(([, value]) => value !== undefined);
  const parts = inputs.map(([name, value]) => `${name}=${shown(value)}`);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function shown(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(value.message);
  return (typeof value === 'string' ? value : JSON.stringify(value)) ?? String(value);
}
