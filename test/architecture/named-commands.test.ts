import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';

const ROOT = path.resolve(import.meta.dirname, '../..');
const COMMANDS = 'packages/cli/src/commands';

/** Commands of the framework, of example plugins, other names of commands, and one that a guide mistypes on purpose. */
const OTHER_COMMANDS =
  'autocomplete,plugins,plugins install,plugins uninstall,plugins link,plugins list,help,ls,ps,secret ls,secret-files,hello,runn'.split(
    ',',
  );

/**
 * Files with texts for people: sources (hints, help), guides and generated reference. Records and the
 * changelog describe the past.
 */
const TEXTS =
  '{packages,plugins}/*/src/**/*.ts,docs/*.md,docs/{get-started,guides,concepts,extend,operate,reference,contributing}/**/*.md,*.md,examples/**/README.md';

interface NamedCommand {
  readonly place: string;
  readonly words: readonly string[];
}

async function readCommands(): Promise<ReadonlySet<string>> {
  const files: string[] = [];
  for await (const file of glob('**/*.ts', { cwd: path.join(ROOT, COMMANDS) })) files.push(file);
  return new Set([
    // The command of a topic itself is its `index.ts`.
    ...files.map((file) =>
      file
        .replace(/\.ts$/, '')
        .split(path.sep)
        .join(' ')
        .replace(/ index$/, ''),
    ),
    ...OTHER_COMMANDS,
  ]);
}

/** Finds `portolan …` in code spans, in examples of the help, and in lines of code blocks. */
function commandsIn(text: string, isMarkdown: boolean): readonly (readonly string[])[] {
  const spans = [
    ...text.matchAll(/`portolan ([^`\\\n]+)\\?`/g),
    ...text.matchAll(/<%= config\.bin %> ([^'`\n]+)/g),
  ];
  const lines = isMarkdown ? [...codeBlocks(text).matchAll(/^\s*(?:\$ )?portolan (.+)$/gm)] : [];
  return [...spans, ...lines].map(([, rest = '']) => wordsOf(rest)).filter(({ length }) => length > 0);
}

function codeBlocks(text: string): string {
  return [...text.matchAll(/^```(?:sh|console|text)?\n(.*?)^```/gms)].map(([, block]) => block).join('\n');
}

/** The longest command has three words: `entries claims get`. */
const MAX_WORDS = 3;

/**
 * Returns the words before the first flag, argument in capitals, or other word that cannot be part of a
 * command.
 */
function wordsOf(rest: string): readonly string[] {
  const words = rest.trim().split(/\s+/);
  const end = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
  return words.slice(0, end === -1 ? MAX_WORDS : Math.min(end, MAX_WORDS));
}

/**
 * Returns true if the words begin with a command. A topic alone (`portolan secret`) names all its commands.
 */
function exists(words: readonly string[], commands: ReadonlySet<string>): boolean {
  const prefixes = words.map((_, index) => words.slice(0, index + 1).join(' '));
  return (
    prefixes.some((prefix) => commands.has(prefix)) ||
    [...commands].some((command) => command.startsWith(`${words.join(' ')} `))
  );
}

async function findNamedCommands(): Promise<readonly NamedCommand[]> {
  const found: NamedCommand[] = [];
  for await (const file of glob(TEXTS.split(/,(?![^{]*\})/), { cwd: ROOT, exclude: ['CHANGELOG.md'] })) {
    const text = await readFile(path.join(ROOT, file), 'utf8');
    for (const words of commandsIn(text, file.endsWith('.md'))) found.push({ place: file, words });
  }
  return found;
}

/**
 * Returns lines that let npx download a package `portolan`, or that name the launcher without saying that it
 * is unpublished.
 */
function wrongLaunchesIn(text: string): readonly string[] {
  return text
    .split('\n')
    .filter(
      (line) =>
        /\bnpx\s+(?:--?\S*\s+)*portolan\b/.test(line) ||
        (/\bnpx\s+(?:--?\S*\s+)*@portolan\/cli/.test(line) && !/once published/i.test(line)),
    );
}

describe('commands named in hints, help and guides', () => {
  it('exist', async () => {
    const commands = await readCommands();
    const named = await findNamedCommands();
    expect(named).to.have.length.greaterThan(300);
    const missing = named.filter(({ words }) => !exists(words, commands));
    expect(missing.map(({ place, words }) => `${place}: portolan ${words.join(' ')}`)).to.deep.equal([]);
  });

  it('never run as `npx portolan`, a name that a stranger could publish', async () => {
    const wrong: string[] = [];
    for await (const file of glob(`{${TEXTS},packages/*/README.md,plugins/*/README.md,deploy/**/*.md}`, {
      cwd: ROOT,
      exclude: ['CHANGELOG.md'],
    })) {
      const text = await readFile(path.join(ROOT, file), 'utf8');
      wrong.push(...wrongLaunchesIn(text).map((line) => `${file}: ${line}`));
    }
    expect(wrong, 'write an installed `portolan`, or "Once published, `npx @portolan/cli`"').to.deep.equal(
      [],
    );
    expect(wrongLaunchesIn('`npx -- portolan run`\n`npx  portolan`\nnpx @portolan/cli serve')).to.have.length(
      3,
    );
    expect(wrongLaunchesIn('Once published, `npx @portolan/cli` runs it.')).to.deep.equal([]);
  });

  it('come from packages whose README says that they are not published yet', async () => {
    const silent: string[] = [];
    for await (const file of glob('{packages,plugins,examples}/*/README.md', { cwd: ROOT })) {
      const text = await readFile(path.join(ROOT, file), 'utf8');
      const needs =
        /(?:^|\s)from '@portolan\/|npm (?:i|install)\b[^\n]*portolan|npx @portolan\/|imports `@portolan\//m;
      if (needs.test(text) && !/is\s+not\s+published\s+yet/.test(text)) silent.push(file);
    }
    expect(silent).to.deep.equal([]);
  });

  it('commandsIn › finds commands in hints, in examples of the help and in code blocks', () => {
    expect(commandsIn("hint: 'Look with `portolan info SERVER`.'", false)).to.deep.equal([['info']]);
    expect(commandsIn('`it fails: \\`portolan secret set ${name}\\``', false)).to.deep.equal([
      ['secret', 'set'],
    ]);
    expect(commandsIn("'<%= config.bin %> registry info dev.acme/x'", false)).to.deep.equal([
      ['registry', 'info'],
    ]);
    expect(commandsIn('```sh\nportolan group make X\n```\n', true)).to.deep.equal([['group', 'make']]);
    expect(exists(['group', 'make'], new Set(['group create']))).to.equal(false);
    expect(exists(['group'], new Set(['group create']))).to.equal(true);
  });
});
