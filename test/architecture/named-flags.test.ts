import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';

const ROOT = path.resolve(import.meta.dirname, '../..');
const REFERENCE = path.join(ROOT, 'docs/reference/commands');
const GUIDES = 'docs/{get-started,guides,concepts,extend,operate}/**/*.md';
/** Lines that a guide pastes behind `portolan run` have flags of other programs. */
const FOREIGN = /^portolan run (?:docker|npx) /;

/** Returns the `portolan …` commands in code blocks, without the arguments of servers and what follows a pipe. */
function commandsOf(page: string): readonly string[] {
  const blocks = [...page.matchAll(/^ *```(?:sh|console)\n(.*?)^ *```$/gms)].map(([, block = '']) => block);
  return blocks
    .join('\n')
    .replaceAll(/\s*\\\n\s*/g, ' ')
    .split('\n')
    .flatMap((line) => /^\s*(?:\$ )?(?:[A-Z_]+=\S+ )*(portolan .*)$/.exec(line)?.[1] ?? [])
    .filter((command) => !FOREIGN.test(command))
    .map((command) => command.split(/ -- | [|>#] /, 1)[0] ?? '');
}

/** Returns the reference page of the longest command that the words begin with. */
function referenceOf(command: string): string | undefined {
  const words = command.split(/\s+/).slice(1, 4);
  return words
    .map((_, index) => path.join(REFERENCE, `${words.slice(0, words.length - index).join('-')}.md`))
    .find((file) => existsSync(file));
}

function unknownFlags(command: string): readonly string[] {
  const file = referenceOf(command);
  if (file === undefined) return [];
  const reference = readFileSync(file, 'utf8');
  const flags = [...command.matchAll(/(?<=\s)--[a-z][a-z-]*/g)].map(([flag]) => flag);
  return flags.filter((flag) => !new RegExp(`${flag}(?![a-z-])`).test(reference));
}

describe('flags in samples of guides', () => {
  it('exist', () => {
    const commands = globSync(GUIDES, { cwd: ROOT }).flatMap((file) =>
      commandsOf(readFileSync(path.join(ROOT, file), 'utf8')).map((command) => ({ file, command })),
    );
    expect(commands).to.have.length.greaterThan(100);
    const unknown = commands.flatMap(({ file, command }) =>
      unknownFlags(command).map((flag) => `${file}: ${flag} in ${command}`),
    );
    expect(unknown).to.deep.equal([]);
  });

  it('unknownFlags › finds a flag that the command does not have', () => {
    const page =
      '1. Run it:\n\n   ```sh\n   A=1 portolan run x --nam y \\\n     --name z -- --other | jq\n   ```\n';
    expect(commandsOf(page)).to.deep.equal(['portolan run x --nam y --name z']);
    expect(unknownFlags('portolan run x --nam y --name z')).to.deep.equal(['--nam']);
  });
});
