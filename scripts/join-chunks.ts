// Makes one file of the many that a package loads at once.
import { build, type Metafile } from 'esbuild';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

interface Part {
  /** Its name in `dist`. */
  readonly file: string;
  readonly exports: readonly string[];
}

/** What the first of the modules always loads, so that nearly everything finds it loaded. */
const FIRST = 'joined.js';

/**
 * Code splitting makes a chunk of whatever several imports of a package share, so that what is large begins by
 * loading dozens of files, each of which costs the start of every command a third of a millisecond. Here chunks
 * become one file again which the same modules load, of those that are named: `roots`, below `src`. What the first of
 * them loads is one file in any case. Nothing is loaded that was not loaded before, but for what others load of it.
 * Throws when there is no such module.
 */
export async function joinChunks(
  dist: string,
  { outputs }: Metafile,
  roots: readonly string[],
): Promise<void> {
  const files = new Map(Object.entries(outputs).map(([name, output]) => [nameInDist(name), output]));
  const loadedBy = new Map<string, string>();
  for (const [at, source] of roots.entries()) {
    const [root] = [...files].find(([, { entryPoint }]) => entryPoint === `src/${source}`) ?? [];
    if (root === undefined)
      throw new Error(`src/${source} is loaded neither first nor on demand: nothing can be joined for it`);
    for (const file of loadedAtOnce(files, root)) {
      const known = loadedBy.get(file) ?? '';
      if (known !== FIRST) loadedBy.set(file, at === 0 ? FIRST : `${known === '' ? 'joined' : known}-${at}`);
    }
  }
  const written: string[] = [];
  for (const [set, members] of Map.groupBy(loadedBy.keys(), (member) => loadedBy.get(member) ?? '')) {
    if (members.length < 2) continue;
    const file = set === FIRST ? FIRST : `${set}.js`;
    const parts = members.map((member) => ({ file: member, exports: files.get(member)?.exports ?? [] }));
    // What was joined before may load these, too.
    await joinParts(dist, { parts, file, others: [...files.keys(), ...written] });
    for (const member of members) files.delete(member);
    written.push(file);
  }
}

interface Joining {
  readonly parts: readonly Part[];
  /** What they become, in `dist`. */
  readonly file: string;
  /** What may import them. */
  readonly others: readonly string[];
}

async function joinParts(dist: string, { parts, file: joined, others }: Joining): Promise<void> {
  const numbers = new Map(parts.map(({ file }, at) => [`./${file}`, at]));
  const contents = parts.map((part, at) => reexport(part, at, `./${part.file}`)).join('');
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: dist },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    legalComments: 'inline',
    write: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'parts-only',
        setup: (rules) => {
          rules.onResolve({ filter: /./ }, ({ path: wanted, kind }) =>
            kind === 'import-statement' && numbers.has(wanted) ? undefined : { external: true, path: wanted },
          );
        },
      },
    ],
  });
  await writeFile(path.join(dist, joined), outputFiles[0]?.text ?? '');
  for (const [at, part] of parts.entries()) {
    const { file } = part;
    if (file.startsWith('chunk-')) await rm(path.join(dist, file));
    else await writeFile(path.join(dist, file), facade(part, at, joined));
  }
  for (const file of others) {
    if (numbers.has(`./${file}`)) continue;
    const text = await readFile(path.join(dist, file), 'utf8');
    await writeFile(path.join(dist, file), importJoined(text, numbers, joined));
  }
}

/** A file, and those that it imports statically, itself or through others. */
function loadedAtOnce(
  files: ReadonlyMap<string, Metafile['outputs'][string]>,
  root: string,
): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (file: string): void => {
    if (found.has(file)) return;
    found.add(file);
    for (const { path: imported, kind, external } of files.get(file)?.imports ?? [])
      if (kind === 'import-statement' && external !== true) add(nameInDist(imported));
  };
  add(root);
  return found;
}

function nameInDist(output: string): string {
  return path.posix.relative('dist', output);
}

/** Of two parts, exports may have the same name. */
function nameInJoined(name: string, part: number): string {
  return `${name}_${part}`;
}

function reexport({ exports }: Part, at: number, from: string): string {
  const names = exports.map((name) => `${name} as ${nameInJoined(name, at)}`);
  return `export { ${names.join(', ')} } from ${JSON.stringify(from)};\n`;
}

function facade({ exports }: Part, at: number, joined: string): string {
  const names = exports.map((name) => `${nameInJoined(name, at)} as ${name}`);
  return `export { ${names.join(', ')} } from "./${joined}";\n`;
}

/** The text of a file that the bundler has written, with its imports of parts changed to those of the joined file. */
function importJoined(text: string, numbers: ReadonlyMap<string, number>, joined: string): string {
  return text
    .replaceAll(/^import \{([^}]*)\} from "([^"]+)";$/gm, (whole, names: string, from: string) => {
      const at = numbers.get(from);
      if (at === undefined) return whole;
      const imported = names
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== '')
        .map((one) => {
          const [name = '', local = name] = one.split(' as ');
          return `${nameInJoined(name, at)} as ${local}`;
        });
      return `import { ${imported.join(', ')} } from "./${joined}";`;
    })
    .replaceAll(/^import "([^"]+)";$/gm, (whole, from: string) =>
      numbers.has(from) ? `import "./${joined}";` : whole,
    );
}
