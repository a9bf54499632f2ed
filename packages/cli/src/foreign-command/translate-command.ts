import {
  imageOfPython,
  meaningOfOption,
  optionTakesValue,
  splitOption,
  splitRequirement,
  splitRequirements,
} from '@portolan/run-spec';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { findRunner } from './foreign-words.ts';
import { formatFolder, isPath, readGitPackage, resolvePath } from './local-project.ts';
import { adviseModule, readLocalProgram } from './local-program.ts';
import { translateDocker } from './translate-docker.ts';
import { type FindPath, Translation } from './translation.ts';
import { translateBridge } from './translate-bridge.ts';
import { unwrapLine } from './unwrap-line.ts';

const SAME: Readonly<Record<string, string>> = {
  pnpx: 'npx',
  bunx: 'npx',
  npm: 'npx',
  pnpm: 'npx',
  yarn: 'npx',
  bun: 'npx',
  uv: 'uvx',
  pipx: 'uvx',
};

/**
 * Translates a command line of a package runner, a container engine, or a program in a folder that Portolan
 * builds; undefined for others.
 */
export function translateCommand(
  line: readonly string[],
  findPath: FindPath = findHostPath,
  environment: readonly (readonly [string, string])[] = [],
): Translation | undefined {
  const { words, variables } = unwrapLine(line);
  const all = [...variables, ...environment];
  const bridge = translateBridge(words, new Map(all));
  const translation = bridge ?? translateWords(words, findPath);
  // A remote server has no environment.
  if (bridge === undefined) for (const [name, value] of all) translation?.addVariable(name, value);
  return translation;
}

function translateWords(words: readonly string[], findPath: FindPath): Translation | undefined {
  const match = findRunner(words);
  const rest = words.slice(match?.length);
  const { runner = '' } = match ?? {};
  if (['docker', 'podman', 'nerdctl'].includes(runner)) return translateDocker(rest);
  if (runner === 'go') return translateGo(words, rest, findPath);
  if (match !== undefined) return translatePackage(SAME[runner] ?? runner, rest, findPath);
  const npm = words.findIndex((word) => /^npm:\/?./.test(word));
  if (/(?:^|[\\/])deno$/.test(words[0] ?? '') && npm !== -1) {
    const [first = '', ...args] = words.slice(npm);
    return translatePackage('npx', [first.replace(/^npm:\/?/, ''), ...args], findPath);
  }
  return translateProgram(words, findPath);
}

/** Returns advice for a command line that `translateCommand` cannot translate; undefined if there is none. */
export function adviseCommand(line: readonly string[]): string | undefined {
  const { words } = unwrapLine(line);
  const named = words.find((word) => INSTALLERS.test(word));
  if (named !== undefined)
    return `${named} adds a server to the configuration of a client; name the package or image of the server itself`;
  const module = words.find((word) => word.startsWith('jsr:'));
  if (module !== undefined) return adviseModule(module);
  const runner = findRunner(words);
  if (runner !== undefined && runner.runner !== 'go') return undefined;
  const program = readLocalProgram(words);
  return 'advice' in program ? program.advice : undefined;
}

function translateProgram(words: readonly string[], findPath: FindPath): Translation | undefined {
  const program = readLocalProgram(words);
  if (!('target' in program)) return undefined;
  const translation = new Translation();
  translation.target = program.target;
  translation.addArguments(program.args, findPath);
  return translation;
}

function findHostPath(argument: string): string | undefined {
  if (!/^(?:\/[^/]|\.{1,2}(?:\/|$)|~\/)/.test(argument) || argument.includes(':')) return undefined;
  const file = path.resolve(argument.replace(/^~(?=\/)/, homedir()));
  return file !== '/' && existsSync(file) ? file : undefined;
}

function translatePackage(
  scheme: string,
  words: readonly string[],
  findPath: FindPath,
): Translation | undefined {
  const translation = new Translation();
  const takesValue = (option: string): boolean => option !== '--bun' && optionTakesValue(scheme, option);
  let from: string | undefined;
  let at = 0;
  for (; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--') continue;
    if (!word.startsWith('-')) break;
    for (const { option = '', value } of splitOption(word, takesValue)) {
      const input = value ?? (takesValue(option) ? words[(at += 1)] : undefined);
      const meaning = option === '--spec' ? 'package' : meaningOfOption(scheme, option);
      if (meaning === 'package') from ??= input;
      else addPackageOption(translation, { scheme, option, meaning, value: input ?? '' });
    }
  }
  const [first, ...args] = words.slice(at);
  const named = from ?? first;
  if (named === undefined || isInstaller(named, args)) return undefined;
  const program = from === undefined ? undefined : first;
  const git = readGitPackage(scheme, named);
  translation.steps.push(...(git?.steps ?? []));
  const target =
    git === undefined
      ? toTarget(scheme, named, program)
      : `${scheme}://${git.folder}${program === undefined ? '' : `#${program}`}`;
  if (target === undefined) return undefined;
  translation.target = target;
  translation.addArguments(args, findPath);
  return translation;
}

interface PackageOption {
  readonly scheme: string;
  readonly option: string;
  readonly meaning: ReturnType<typeof meaningOfOption>;
  readonly value: string;
}

function addPackageOption(translation: Translation, { scheme, option, meaning, value }: PackageOption): void {
  const image = imageOfPython(value);
  if (meaning === 'with') {
    for (const requirement of splitRequirements(value)) translation.flags.push('--build-with', requirement);
  } else if (meaning === 'python' && image !== undefined) translation.flags.push('--runtime-image', image);
  else if (meaning === 'index') {
    const isMore = /^--(?:extra-index-url|index)$/.test(option);
    translation.addIndex(
      scheme === 'npx' ? 'NPM_CONFIG_REGISTRY' : isMore ? 'UV_INDEX' : 'UV_DEFAULT_INDEX',
      value,
    );
  } else if (meaning !== 'needless' && option !== '--bun') {
    if (/^--@[\w.-]+:registry$/.test(option)) translation.addScope(option.slice(2), value);
    else translation.notes.push(`Left out: ${option}.`);
  }
}

/** Matches packages that add a server to a client's configuration file, and are not servers. */
const INSTALLERS = /^(?:@smithery\/cli|install-mcp|add-mcp|@michaellatman\/mcp-get|mcp-get)(?:@[\w.-]+)?$/;

function isInstaller(named: string, args: readonly string[]): boolean {
  return INSTALLERS.test(named) && (!named.startsWith('@smithery') || args[0] === 'install');
}

/**
 * Returns the target for a package or a folder, with its program; undefined for a package that is in no
 * package index.
 */
function toTarget(scheme: string, named: string, program: string | undefined): string | undefined {
  if (isPath(named) && !/\.(?:tgz|whl|tar\.gz|zip)$/.test(named))
    return `${scheme}://${formatFolder(resolvePath(named))}${program === undefined ? '' : `#${program}`}`;
  const { name, rest } = splitRequirement(named);
  const [extras = ''] = /^\[[^\]]*\]/.exec(rest) ?? [];
  const version = rest.slice(extras.length).replace(/^(?:==|@)/, '');
  const isPackage = scheme === 'npx' ? /^(?:@[\w.~-]+\/)?[\w.~-]+$/ : /^[\w.-]+$/;
  if (!isPackage.test(name) || /[:/\\]/.test(version)) return undefined;
  const plain = name.replace(/^@[^/]*\//, '');
  const behind = program === undefined || program === plain ? '' : `#${program}`;
  return `${scheme}://${name}${extras}${version === '' ? '' : `@${version}`}${behind}`;
}

function translateGo(
  words: readonly string[],
  rest: readonly string[],
  findPath: FindPath,
): Translation | undefined {
  const at = rest.findIndex((word) => !word.startsWith('-'));
  const [name, ...args] = at === -1 ? [] : rest.slice(at);
  if (name === undefined || name.endsWith('.go')) return translateProgram(words, findPath);
  const translation = new Translation();
  translation.target = `go://${name}`;
  translation.addArguments(args, findPath);
  return translation;
}
