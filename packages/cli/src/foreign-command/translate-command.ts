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
import { translateDocker } from './translate-docker.ts';
import { type FindPath, Translation } from './translation.ts';

/** Packages that connect to a remote server; Portolan does that itself. */
const BRIDGES = /^(?:mcp-remote|@geelen\/mcp-remote|mcp-proxy|supergateway)$/;
/** Names and options of other runners of the same packages. */
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

/** Translates a command line of a package runner or a container engine; undefined for another one. */
export function translateCommand(
  words: readonly string[],
  findPath: FindPath = findHostPath,
): Translation | undefined {
  const unwrapped = unwrap(words);
  const found = findRunner(unwrapped);
  if (found === undefined) return undefined;
  const rest = unwrapped.slice(found.length);
  if (['docker', 'podman', 'nerdctl'].includes(found.runner)) return translateDocker(rest);
  if (found.runner === 'go') return translateGo(rest, findPath);
  return translatePackage(SAME[found.runner] ?? found.runner, rest, findPath);
}

/** Windows starts npx by its shell; some files start a program by `env`. */
function unwrap(words: readonly string[]): readonly string[] {
  const [first = '', ...rest] = words;
  if (/^cmd(?:\.exe)?$/i.test(first) && /^\/c$/i.test(rest[0] ?? '')) return rest.slice(1);
  return /(?:^|\/)env$/.test(first) ? unwrap(rest) : words;
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
      const given = value ?? (takesValue(option) ? words[(at += 1)] : undefined);
      const meaning = option === '--spec' ? 'package' : meaningOfOption(scheme, option);
      if (meaning === 'package') from ??= given;
      else addPackageOption(translation, { scheme, option, meaning, value: given ?? '' });
    }
  }
  const [first, ...args] = words.slice(at);
  const named = from ?? first;
  if (named === undefined) return undefined;
  const target = toTarget(scheme, named, from === undefined ? undefined : first);
  if (target === undefined) return undefined;
  const url = args.find((word) => /^https?:\/\//.test(word));
  if (BRIDGES.test(splitRequirement(named).name) && url !== undefined) {
    return translateBridge(translation, url, args);
  }
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
    const variable = scheme === 'npx' ? 'npm_config_registry' : 'UV_INDEX';
    const address = value.replace(/\/\/[^/@]*@/, '//');
    translation.notes.push(
      `Builds use the index ${address} after \`portolan config set-build-env ${variable} ${address}\`.`,
    );
  } else if (meaning !== 'needless' && option !== '--bun') translation.notes.push(`Left out: ${option}.`);
}

/** Returns a package with its program behind the scheme; undefined for what no index has. */
function toTarget(scheme: string, named: string, program: string | undefined): string | undefined {
  const { name, rest } = splitRequirement(named);
  const [extras = ''] = /^\[[^\]]*\]/.exec(rest) ?? [];
  const version = rest.slice(extras.length).replace(/^(?:==|@)/, '');
  const isPackage = scheme === 'npx' ? /^(?:@[\w.~-]+\/)?[\w.~-]+$/ : /^[\w.-]+$/;
  if (!isPackage.test(name) || /[:/\\]/.test(version)) return undefined;
  const plain = name.replace(/^@[^/]*\//, '');
  const behind = program === undefined || program === plain ? '' : `#${program}`;
  return `${scheme}://${name}${extras}${version === '' ? '' : `@${version}`}${behind}`;
}

/** `npx mcp-remote URL --header "Name: value"` is a remote server. */
function translateBridge(translation: Translation, url: string, args: readonly string[]): Translation {
  translation.setAddress(url);
  for (const [at, word] of args.entries()) {
    const [, name, value] = /^([\w-]+):\s*(.*)$/s.exec(args[at - 1] === '--header' ? word : '') ?? [];
    if (name !== undefined && value !== undefined) translation.addHeader(name, value);
  }
  return translation;
}

function translateGo(words: readonly string[], findPath: FindPath): Translation | undefined {
  const at = words.findIndex((word) => !word.startsWith('-'));
  const [name, ...args] = at === -1 ? [] : words.slice(at);
  if (name === undefined || name.endsWith('.go')) return undefined;
  const translation = new Translation();
  translation.target = `go://${name}`;
  translation.addArguments(args, findPath);
  return translation;
}
