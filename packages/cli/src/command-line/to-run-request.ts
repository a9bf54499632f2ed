import {
  environmentVariableUnset,
  RUN_FLAGS,
  RUN_FLAG_NAMES,
  type RunFlagName,
  type RunFlags,
  type RunRequest,
} from '@portolan/run-spec';

type Rows = typeof RUN_FLAGS;

/** Values of the flags of `run`, as the parser hands them over; undefined where a flag was not given. */
export type RunFlagValues = {
  readonly [Name in RunFlagName as Rows[Name]['flag']]?: RunFlags[Name] | undefined;
} & { readonly 'from-config'?: string | undefined };

/**
 * Returns what the command line asks for. A field is there only when its flag was given. Throws
 * ERR_ENVIRONMENT_VARIABLE for `-e NAME` where the environment has no such variable.
 */
export function toRunRequest(
  target: string | undefined,
  values: RunFlagValues,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = {},
): RunRequest {
  const fromConfig = values['from-config'];
  const given = RUN_FLAG_NAMES.map((name) => [name, values[RUN_FLAGS[name].flag]] as const);
  return {
    target,
    ...(fromConfig === undefined ? {} : { fromConfig }),
    args,
    flags: {
      ...Object.fromEntries(given.filter(([, value]) => value !== undefined)),
      ...(values.env === undefined ? {} : { env: values.env.map((text) => withValue(text, environment)) }),
    },
  };
}

/** Returns `NAME` of `-e NAME` with the value that the environment has. Throws ERR_ENVIRONMENT_VARIABLE. */
function withValue(text: string, environment: Readonly<Record<string, string | undefined>>): string {
  if (!/^[A-Za-z_]\w*$/.test(text)) return text;
  const value = environment[text];
  if (value === undefined) throw environmentVariableUnset(text);
  return `${text}=${value}`;
}
