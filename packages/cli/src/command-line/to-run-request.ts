import {
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

/** What the command line asks for. A field is there only when its flag was given. */
export function toRunRequest(
  target: string | undefined,
  values: RunFlagValues,
  args: readonly string[],
): RunRequest {
  const fromConfig = values['from-config'];
  const given = RUN_FLAG_NAMES.map((name) => [name, values[RUN_FLAGS[name].flag]] as const);
  return {
    target,
    ...(fromConfig === undefined ? {} : { fromConfig }),
    args,
    flags: Object.fromEntries(given.filter(([, value]) => value !== undefined)),
  };
}
