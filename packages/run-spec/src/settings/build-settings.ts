import { AUTH_FILES, type AuthFileName, parseDuration } from '@portolan/plugin-api';
import type { FieldReader } from '../document/field-reader.ts';
import { type JsonMembers, memberOf } from '../document/json-members.ts';

/** Settings for building package images. A build variable is in exactly one of the first three members. */
export interface BuildSettings {
  readonly values: Readonly<Record<string, string>>;
  /** Names of secrets by the build variable that each fills. */
  readonly fromSecrets: Readonly<Record<string, string>>;
  /** Names of build variables whose value comes from the environment of the building process. */
  readonly fromShell: readonly string[];
  /** Credential files for builds, whose content is stored as a secret. */
  readonly authFiles: readonly AuthFileName[];
  readonly limits: BuildLimits;
}

export interface BuildLimits {
  readonly memoryBytes: number;
  readonly processes: number;
  readonly timeoutMs: number;
  readonly imageBytes: number;
}

const GIBIBYTE = 1024 ** 3;

export const DEFAULT_BUILD_LIMITS: BuildLimits = {
  memoryBytes: 4 * GIBIBYTE,
  processes: 2048,
  timeoutMs: 30 * 60 * 1000,
  imageBytes: 5 * GIBIBYTE,
};

export const NO_BUILD_SETTINGS: BuildSettings = {
  values: {},
  fromSecrets: {},
  fromShell: [],
  authFiles: [],
  limits: DEFAULT_BUILD_LIMITS,
};

export const BUILD_KEYS = {
  values: 'build_env',
  fromSecrets: 'build_env_from_secrets',
  fromShell: 'build_env_from_shell',
  authFiles: 'build_auth_files',
} as const;

/** Names and values are checked when a build starts. */
export function readBuildSettings(fields: FieldReader, value: JsonMembers): BuildSettings {
  const files = fields.map(memberOf(value, BUILD_KEYS.authFiles), BUILD_KEYS.authFiles);
  for (const name of Object.keys(files)) {
    if (!isAuthFile(name)) {
      fields.problem(`${BUILD_KEYS.authFiles}.${name}`, files[name], `one of ${AUTH_FILES.join(', ')}`);
    }
  }
  return {
    values: fields.textMap(value, BUILD_KEYS.values),
    fromSecrets: fields.textMap(value, BUILD_KEYS.fromSecrets),
    fromShell: fields.texts(value, BUILD_KEYS.fromShell),
    authFiles: AUTH_FILES.filter((name) => Object.hasOwn(files, name)),
    limits: readBuildLimits(fields, value),
  };
}

export const BUILD_LIMITS = {
  memory: { limit: 'memoryBytes', parse: parseSize, expected: 'a size, such as 4GiB or 512MiB' },
  processes: {
    limit: 'processes',
    parse: parseCount,
    expected: 'a number of processes from 1 to 4194304, such as 2048',
  },
  timeout: { limit: 'timeoutMs', parse: parseTime, expected: 'a duration over 0 and up to 24h, such as 30m' },
  image_size: { limit: 'imageBytes', parse: parseSize, expected: 'a size, such as 5GiB' },
} as const satisfies Record<
  string,
  {
    readonly limit: keyof BuildLimits;
    readonly parse: (text: string) => number | undefined;
    readonly expected: string;
  }
>;

function readBuildLimits(fields: FieldReader, value: JsonMembers): BuildLimits {
  const build = fields.map(memberOf(value, 'build'), 'build');
  const limits = { ...DEFAULT_BUILD_LIMITS };
  for (const [key, { limit, parse, expected }] of Object.entries(BUILD_LIMITS)) {
    const entry = memberOf(build, key);
    if (entry === undefined) continue;
    const number = typeof entry === 'string' || typeof entry === 'number' ? parse(String(entry)) : undefined;
    if (number === undefined) fields.problem(`build.${key}`, entry, expected);
    else limits[limit] = number;
  }
  return limits;
}

const SIZE_UNITS: Readonly<Record<string, number>> = { MiB: 1024 ** 2, GiB: GIBIBYTE };
/** Minimum memory that engines accept, in MiB. */
const MIN_MEBIBYTES = 6;
const MAX_GIBIBYTES = 1024;

function parseSize(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d{1,7})(MiB|GiB)$/.exec(text) ?? [];
  const bytes = Number(amount) * (SIZE_UNITS[unit] ?? Number.NaN);
  return bytes >= MIN_MEBIBYTES * 1024 ** 2 && bytes <= MAX_GIBIBYTES * GIBIBYTE ? bytes : undefined;
}

/** Maximum number of processes of a Linux system (`PID_MAX_LIMIT`). */
const MAX_PROCESSES = 4_194_304;

function parseCount(text: string): number | undefined {
  const count = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= MAX_PROCESSES ? count : undefined;
}

const MAX_TIMEOUT_MS = 24 * 60 * 60 * 1000;

function parseTime(text: string): number | undefined {
  try {
    const ms = parseDuration(text);
    return ms > 0 && ms <= MAX_TIMEOUT_MS ? ms : undefined;
  } catch {
    return undefined;
  }
}

export function isAuthFile(name: string): name is AuthFileName {
  return AUTH_FILES.some((known) => known === name);
}

/** Returns the name of the secret with the content of a credential file. */
export function secretOfAuthFile(name: AuthFileName): string {
  return `BUILD_AUTH_FILE_${name}`;
}
