import path from 'node:path';
import { nameOfProgram } from './foreign-words.ts';
import { findNpmProgram, findProject, formatFolder, resolvePath } from './local-project.ts';

/** Folder that Portolan can build for a local program, or advice for the user. */
export type LocalProgram =
  | { readonly target: string; readonly args: readonly string[] }
  | { readonly advice: string | undefined };

const JAVASCRIPT: ReadonlySet<string> = new Set(['node', 'nodejs', 'tsx', 'ts-node', 'bun', 'deno']);
const PYTHON: ReadonlySet<string> = new Set(['python', 'python3', 'py']);
const PYTHON_RUNNERS: ReadonlySet<string> = new Set(['uv', 'poetry', 'pdm', 'hatch', 'fastmcp', 'mcp']);
/** Options of local programs such as `node` and `python` that take a value. */
const VALUED: ReadonlySet<string> = new Set(
  (
    '-r --require --import --loader --conditions -C --directory --project --package --extra --group --python -p ' +
    '--with --with-editable --with-requirements --config -c --env-file --index-url --default-index'
  ).split(' '),
);

/** Reads a command line such as `node build/index.js`, `python -m notes` or `uv --directory DIR run notes`. */
export function readLocalProgram(words: readonly string[]): LocalProgram {
  const name = nameOfProgram(words);
  const rest = words.slice(1);
  const installed = findInstalled(name, rest);
  if (installed !== undefined)
    return { advice: `Portolan builds packages itself: \`portolan run ${installed}\`` };
  if (JAVASCRIPT.has(name)) return readJavaScript(rest);
  if (PYTHON.has(name)) return readPython(rest);
  if (PYTHON_RUNNERS.has(name)) return readPythonRunner(rest);
  if (name === 'go') return readGo(rest);
  if (['npm', 'pnpm', 'yarn'].includes(name)) return { advice: adviseFolder('npx', process.cwd()) };
  if (['docker', 'podman', 'nerdctl'].includes(name))
    return { advice: 'run the image of the server: `portolan run IMAGE:TAG`' };
  return { advice: undefined };
}

/** Returns the package of `pip install X` or `npm install -g X`. */
function findInstalled(name: string, words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => ['install', 'i', 'add'].includes(word));
  const named = words.slice(at + 1).find((word) => !word.startsWith('-'));
  if (at === -1 || at > 1 || named === undefined) return undefined;
  const isNode = ['npm', 'pnpm', 'yarn', 'bun'].includes(name);
  if (!isNode && !['pip', 'pip3', 'uv'].includes(name)) return undefined;
  const isPackage = isNode ? /^(?:@[\w.-]+\/)?[\w.-]+(?:@[\w.^~-]+)?$/ : /^[\w.-]+(?:\[[\w,.-]+\])?$/;
  return isPackage.test(named) ? `${isNode ? 'npx' : 'uvx'}://${named}` : undefined;
}

/** Splits words into options and the program with its arguments; options of `VALUED` take the next word. */
function splitOptions(words: readonly string[]): {
  readonly options: ReadonlyMap<string, string>;
  readonly rest: readonly string[];
} {
  const options = new Map<string, string>();
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const [, option = word, joined] = /^(--?[\w-]+)=(.*)$/s.exec(word) ?? [];
    if (word === '--') return { options, rest: words.slice(at + 1) };
    if (word === 'run') continue;
    if (!word.startsWith('-')) return { options, rest: words.slice(at) };
    options.set(option, joined ?? (VALUED.has(option) ? (words[(at += 1)] ?? '') : ''));
  }
  return { options, rest: [] };
}

function readJavaScript(words: readonly string[]): LocalProgram {
  const [named, ...args] = splitOptions(words).rest;
  if (named === undefined) return { advice: undefined };
  if (/^(?:jsr:|https?:)/.test(named)) return { advice: adviseModule(named) };
  const file = resolvePath(named);
  const folder = findProject(path.dirname(file), 'package.json');
  const program = folder === undefined ? undefined : findNpmProgram(folder, file);
  if (folder !== undefined && program !== undefined)
    return { target: withProgram('npx', folder, program), args };
  return { advice: `${adviseFolder('npx', folder)}; "bin" in its package.json names ${path.basename(file)}` };
}

/** Returns the advice for a module that no package index of Portolan has, such as `jsr:@acme/notes`. */
export function adviseModule(module: string): string {
  const from = module.startsWith('jsr:') ? 'JSR' : 'a URL';
  return (
    `Portolan does not build modules of ${from}. If the server is also on npm, run \`portolan run npx://PACKAGE\`; ` +
    'otherwise run an image that contains the module and its runtime: `portolan run IMAGE:TAG`'
  );
}

function readPython(words: readonly string[]): LocalProgram {
  if (words[0] === '-m' && words[1] !== undefined) {
    const module = words[1].replace(/\..*/s, '');
    return {
      advice:
        `name the package of the module ${module}, which is often \`portolan run uvx://${module.replaceAll('_', '-')}\`: ` +
        'check it in the package index, because anyone can publish a package with a similar name',
    };
  }
  return { advice: advisePython(splitOptions(words).rest[0]) };
}

/** Reads `uv --directory DIR run notes`, where `notes` is a program of the project in the folder. */
function readPythonRunner(words: readonly string[]): LocalProgram {
  const {
    options,
    rest: [named, ...args],
  } = splitOptions(words);
  const folder = resolvePath(
    options.get('--directory') ?? options.get('--project') ?? options.get('-C') ?? '.',
  );
  const project = findProject(folder, 'pyproject.toml');
  const isProgram = named !== undefined && /^[\w.-]+$/.test(named) && !named.endsWith('.py');
  const isTool = named !== undefined && (PYTHON.has(named) || PYTHON_RUNNERS.has(named));
  if (project !== undefined && isProgram && !isTool && words.includes('run'))
    return { target: withProgram('uvx', project, named), args };
  return { advice: advisePython(named, folder) };
}

function advisePython(file: string | undefined, folder?: string): string {
  const start = folder ?? (file === undefined ? process.cwd() : path.dirname(resolvePath(file)));
  const project = findProject(start, 'pyproject.toml');
  return `${adviseFolder('uvx', project)}; [project.scripts] in its pyproject.toml names the program`;
}

function readGo(words: readonly string[]): LocalProgram {
  const file = words.find((word) => word.endsWith('.go'));
  const folder = file === undefined ? process.cwd() : path.dirname(resolvePath(file));
  const isModule = findProject(folder, 'go.mod') !== undefined;
  return words[0] === 'run' && isModule
    ? {
        target: `go://${formatFolder(folder)}`,
        args: words.slice(1).filter((word) => !/^-|\.go$/.test(word)),
      }
    : { advice: 'run the folder of its Go module: `portolan run go://./FOLDER`' };
}

function adviseFolder(scheme: string, folder: string | undefined): string {
  const named = folder === undefined ? './FOLDER' : formatFolder(folder);
  return `Portolan builds the folder of the project: \`portolan run ${scheme}://${named}\``;
}

function withProgram(scheme: string, folder: string, program: string): string {
  return `${scheme}://${formatFolder(folder)}${program === '' ? '' : `#${program}`}`;
}
