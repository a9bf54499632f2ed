import { type JsonMembers, memberOf, textMember } from '../document/json-members.ts';
import { isProgramName } from '../target/parse-package.ts';
import { meaningOfOption, splitRequirement } from './runner-options.ts';

export interface PackageProgram {
  /** Package with version and program, without its scheme: `intugle[cli]@1.0#intugle-mcp`. */
  readonly package: string;
  readonly runtimeArguments: readonly JsonMembers[];
  readonly packageArguments: readonly JsonMembers[];
}

/**
 * Determines the program of a package. After `--from` of uvx, and `--package` or `-p` of npx, the first
 * positional argument names the program. Without the option, a first argument that begins with the package's
 * name is the program.
 */
export function choosePackageProgram(
  { identifier, version }: { readonly identifier: string; readonly version: string | undefined },
  scheme: string,
  items: { readonly runtime: readonly JsonMembers[]; readonly package: readonly JsonMembers[] },
): PackageProgram {
  const isOwn = (text: string): boolean => isSameName(splitRequirement(text).name, identifier, scheme);
  const from = items.runtime.find((item) => {
    const value = textMember(item, 'value');
    return isPackageOption(item, scheme) && (value === undefined || isOwn(value) || isProgramName(value));
  });
  // Some entries repeat the package's name among the runtime arguments, as on a command line.
  const runtime = items.runtime.filter(
    (item) => item !== from && !(isPositional(item) && isOwn(textOfArgument(item) ?? '')),
  );
  const of = (program: string | undefined, rest = ''): string => {
    const [extras = ''] = /^\[[^\]]*\]/.exec(rest) ?? [];
    const named = version ?? rest.slice(extras.length).replace(/^(?:==|@)/, '');
    return `${identifier}${extras}${named === '' ? '' : `@${named}`}${program === undefined ? '' : `#${program}`}`;
  };
  if (from === undefined) {
    const [first, ...others] = items.package;
    const named = first === undefined || !isProgram(first) ? undefined : textOfArgument(first);
    const isNamed = named !== undefined && isNameOfProgram(named, identifier, scheme);
    return {
      // The default program has the name of the package.
      package: of(isNamed && !isOwn(named) ? named : undefined),
      runtimeArguments: runtime,
      packageArguments: isNamed ? others : items.package,
    };
  }
  const value = textMember(from, 'value') ?? '';
  if (value !== '' && !isOwn(value)) {
    return { package: of(value), runtimeArguments: runtime, packageArguments: items.package };
  }
  const { rest } = splitRequirement(value);
  const ofRuntime = runtime.find(isProgram);
  const ofPackage = ofRuntime === undefined ? items.package.find(isPositional) : undefined;
  const program = ofRuntime ?? (ofPackage !== undefined && isProgram(ofPackage) ? ofPackage : undefined);
  const without = (list: readonly JsonMembers[]): readonly JsonMembers[] =>
    list.filter((item) => item !== program);
  return {
    package: of(program === undefined ? undefined : textOfArgument(program), rest),
    runtimeArguments: without(runtime),
    packageArguments: without(items.package),
  };
}

function isPackageOption(item: JsonMembers, scheme: string): boolean {
  const option = memberOf(item, 'type') === 'named' ? textMember(item, 'name') : undefined;
  return option !== undefined && meaningOfOption(scheme, option) === 'package';
}

function isPositional(item: JsonMembers): boolean {
  return memberOf(item, 'type') !== 'named';
}

function isProgram(item: JsonMembers): boolean {
  return isPositional(item) && isProgramName(textOfArgument(item) ?? '');
}

function textOfArgument(item: JsonMembers): string | undefined {
  return textMember(item, 'value') ?? textMember(item, 'default');
}

/**
 * Returns whether an argument is a program of the package, for entries that omit `--from`: `intugle-mcp` of
 * `intugle`.
 */
function isNameOfProgram(text: string, identifier: string, scheme: string): boolean {
  const name = identifier.replace(/^@[^/]*\//, '');
  return isSameName(text, name, scheme) || isSameName(text.slice(0, name.length + 1), `${name}-`, scheme);
}

/**
 * Returns whether two package names are equal. Names of Python projects have several equivalent spellings.
 */
function isSameName(one: string, other: string, scheme: string): boolean {
  const plain = (text: string): string =>
    scheme === 'uvx' ? text.replaceAll(/[-_.]+/g, '-').toLowerCase() : text;
  return plain(one) === plain(other);
}
