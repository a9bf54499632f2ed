import { existsSync } from 'node:fs';
import {
  ambiguousVolume,
  environmentVariableUnset,
  isVolumeName,
  RUN_FLAGS,
  RUN_FLAG_NAMES,
  type RunFlagName,
  type RunFlags,
  type RunRequest,
} from '@portolan/run-spec';

type Rows = typeof RUN_FLAGS;

/** Parsed values of the flags of `run`; undefined for a missing flag. */
export type RunFlagValues = {
  readonly [Name in RunFlagName as Rows[Name]['flag']]?: RunFlags[Name] | undefined;
} & { readonly 'from-config'?: string | undefined };

/**
 * Returns the run request of the command line, which has only the fields of given flags. Throws ERR_SETTING
 * for `-e NAME` without such a variable in the environment, and for `-v NAME:/path` that could mean a folder
 * or a volume.
 */
export function toRunRequest(
  target: string | undefined,
  values: RunFlagValues,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = {},
): RunRequest {
  const fromConfig = values['from-config'];
  const inputs = RUN_FLAG_NAMES.map((name) => [name, values[RUN_FLAGS[name].flag]] as const);
  return {
    target,
    ...(fromConfig === undefined ? {} : { fromConfig }),
    args,
    flags: {
      ...Object.fromEntries(inputs.filter(([, value]) => value !== undefined)),
      ...(values.volume === undefined ? {} : { volumes: values.volume.map(nameVolume) }),
      ...(values.env === undefined ? {} : { env: values.env.map((text) => withValue(text, environment)) }),
    },
  };
}

/**
 * Returns `volume://NAME:/path` for `NAME:/path`: a volume of the container engine, as with `docker run -v`.
 * Throws ERR_SETTING if the working directory has a file or folder of this name.
 */
function nameVolume(text: string): string {
  const [, name] = /^([^:]+):\/(?!\/)/.exec(text) ?? [];
  if (name === undefined || !isVolumeName(name)) return text;
  if (existsSync(name)) throw ambiguousVolume(text, name);
  return `volume://${text}`;
}

/** Returns `NAME` of `-e NAME` with its value from the environment. Throws ERR_SETTING. */
function withValue(text: string, environment: Readonly<Record<string, string | undefined>>): string {
  if (!/^[A-Za-z_]\w*$/.test(text)) return text;
  const value = environment[text];
  if (value === undefined) throw environmentVariableUnset(text);
  return `${text}=${value}`;
}
