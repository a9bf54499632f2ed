import { dockerOptionTakesValue, type DockerMeaning, meaningOfDockerOption } from './docker-options.ts';

export type RunnerMeaning =
  | DockerMeaning
  /** The option names the package; the first argument after it names the program. */
  | 'package'
  | 'with'
  | 'python'
  | 'index';

interface RunnerOptions {
  readonly meanings: ReadonlyMap<string, RunnerMeaning>;
  readonly alone: ReadonlySet<string>;
}

const NPX_NEEDLESS = '-y --yes -q --quiet -s --silent --no-install --ignore-existing';
const UVX_NEEDLESS =
  '-q --quiet -v --verbose -n --no-cache --no-cache-dir --isolated --refresh -U --upgrade --no-progress ' +
  '--no-config --no-env-file --reinstall --force --managed-python --no-managed-python --no-python-downloads';

const RUNNERS: Readonly<Record<string, RunnerOptions>> = {
  npx: {
    meanings: meanings({ package: '-p --package', index: '--registry', needless: NPX_NEEDLESS }),
    alone: new Set(`${NPX_NEEDLESS} --prefer-online --prefer-offline --offline --no`.split(' ')),
  },
  uvx: {
    meanings: meanings({
      package: '--from',
      with: '--with -w',
      python: '--python -p',
      index: '--default-index --index-url -i --index --extra-index-url',
      needless: UVX_NEEDLESS,
    }),
    alone: new Set(`${UVX_NEEDLESS} --offline --native-tls --system-certs --no-index --no-build`.split(' ')),
  },
};

function meanings(
  names: Readonly<Partial<Record<RunnerMeaning, string>>>,
): ReadonlyMap<string, RunnerMeaning> {
  return new Map(
    Object.entries(names).flatMap(([meaning, options]) =>
      options.split(' ').map((option) => [option, meaning as RunnerMeaning] as const),
    ),
  );
}

/**
 * Returns the meaning of a runner's option. Every runtime except `npx` and `uvx` is treated as `docker run`.
 */
export function meaningOfOption(runtime: string, option: string): RunnerMeaning {
  const runner = Object.hasOwn(RUNNERS, runtime) ? RUNNERS[runtime] : undefined;
  return runner === undefined ? meaningOfDockerOption(option) : (runner.meanings.get(option) ?? 'other');
}

export function optionTakesValue(runtime: string, option: string): boolean {
  const runner = Object.hasOwn(RUNNERS, runtime) ? RUNNERS[runtime] : undefined;
  return runner === undefined ? dockerOptionTakesValue(option) : !runner.alone.has(option);
}

/** Returns the base image for a Python version as in `uvx --python`; undefined for other values. */
export function imageOfPython(request: string): string | undefined {
  const version = /^(?:python|cpython-?)?(3(?:\.\d{1,2}){1,2})$/.exec(request)?.[1];
  return version === undefined ? undefined : `python:${version}-slim`;
}

/** Splits a list of Python requirements at commas outside of brackets. */
export function splitRequirements(text: string): readonly string[] {
  return text.split(/,(?![^[]*\])(?=\s*[A-Za-z0-9][\w.-]*)/).map((part) => part.trim());
}

/** Splits a Python requirement into its name and the text after it, such as a version. */
export function splitRequirement(text: string): { readonly name: string; readonly rest: string } {
  const [, name = text, rest = ''] = /^(@?[^@=<>~!;[\s]+)(.*)$/s.exec(text) ?? [];
  return { name, rest };
}
