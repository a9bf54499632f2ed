import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type CompletedCommand, completionScript } from '../../src/command-line/completion-script.ts';

const COMMANDS: readonly CompletedCommand[] = [
  {
    words: 'run',
    summary: 'Run it',
    flags: [
      { name: '--env', value: 'nothing' },
      { name: '--group', char: '-g', value: 'group' },
      { name: '--name', value: 'nothing' },
      { name: '--transport', value: ['stdio', 'sse'] },
    ],
  },
  { words: 'rm', summary: "Remove the user's", flags: [{ name: '--all' }] },
  { words: 'config check', summary: 'Check', flags: [{ name: '--config', char: '-c', value: 'file' }] },
  { words: 'mcp call', summary: 'Call', flags: [] },
  { words: 'completion', summary: 'Complete', flags: [], argument: ['bash', 'zsh'] },
  { words: 'config schema', summary: 'Print', flags: [] },
  { words: 'sources show', summary: 'Show', flags: [{ name: '--url', value: 'nothing' }] },
  { words: 'plugins uninstall', summary: 'Uninstall', flags: [{ name: '--verbose' }] },
  { words: 'claims explain', summary: 'Explain', flags: [{ name: '--registry', value: 'registry' }] },
];

/** What bash would offer for words of which the last one is being typed. */
async function complete(...words: readonly string[]): Promise<string> {
  const typed = words.map((word) => `'${word}'`).join(' ');
  const script = `${completionScript('bash', COMMANDS)}
portolan() {
  [[ $* == 'completion names source' ]] && echo catalogue && return
  [[ $* == 'completion names registry' ]] && echo main && return
  [[ $* == plugins ]] && echo 'acme-wiki 1.2.3' && echo 'No plugins installed.' && return
  echo NAME; [[ $1 == group ]] && echo trial || echo weather
}
COMP_WORDS=(portolan ${typed}); COMP_CWORD=${words.length}; _portolan; echo "\${COMPREPLY[*]}"`;
  const { stdout } = await promisify(execFile)('bash', ['-c', script]);
  return stdout.trim();
}

describe('completionScript', () => {
  const cases = [
    {
      title: 'offers commands and topics',
      words: [''],
      expected: 'claims completion config mcp plugins rm run sources',
    },
    { title: 'offers what begins like the word', words: ['r'], expected: 'rm run' },
    { title: 'offers the commands of a topic', words: ['config', ''], expected: 'check schema' },
    {
      title: 'offers the flags of a command',
      words: ['run', '--'],
      expected: '--env --group --name --transport',
    },
    { title: 'offers flags behind arguments too', words: ['run', 'image', '--n'], expected: '--name' },
    {
      title: 'offers flags of a command of several words',
      words: ['config', 'check', '--'],
      expected: '--config',
    },
    { title: 'offers values of a flag', words: ['run', '--transport', ''], expected: 'stdio sse' },
    { title: 'offers values behind arguments', words: ['run', 'x', '--transport', 'ss'], expected: 'sse' },
    { title: 'offers values behind =', words: ['run', '--transport', '=', 's'], expected: 'stdio sse' },
    { title: 'offers values right behind =', words: ['run', '--transport', '='], expected: 'stdio sse' },
    { title: 'offers groups', words: ['run', '-g', 't'], expected: 'trial' },
    { title: 'offers nothing for a value that cannot be known', words: ['run', '--name', ''], expected: '' },
    { title: 'leaves files to the shell', words: ['config', 'check', '-c', ''], expected: '' },
    { title: 'offers flags behind a flag without a value', words: ['rm', '--all', '--a'], expected: '--all' },
    { title: 'offers what an argument may be', words: ['completion', ''], expected: 'bash zsh' },
    { title: 'offers names of workloads', words: ['rm', ''], expected: 'weather' },
    { title: 'offers them to commands of several words', words: ['mcp', 'call', ''], expected: 'weather' },
    { title: 'offers none to other commands of those', words: ['config', 'check', ''], expected: '' },
    { title: 'offers names of sources', words: ['sources', 'show', ''], expected: 'catalogue' },
    { title: 'offers names of plugins', words: ['plugins', 'uninstall', ''], expected: 'acme-wiki' },
    { title: 'offers flags beside them', words: ['sources', 'show', '--'], expected: '--url' },
    { title: 'offers names of registries', words: ['claims', 'explain', '--registry', ''], expected: 'main' },
    { title: "leaves the server's arguments alone", words: ['run', 'image', '--', '--'], expected: '' },
  ];
  for (const { title, words, expected } of cases) {
    it(title, async () => {
      expect(await complete(...words)).to.equal(expected);
    });
  }

  it('makes zsh complete with it too', () => {
    expect(completionScript('zsh', COMMANDS)).to.match(
      /^autoload -U \+X bashcompinit && bashcompinit\n_portolan\(\)/,
    );
  });

  it('writes a rule for each word and flag for fish', () => {
    const script = completionScript('fish', COMMANDS);
    expect(script).to.include(
      "complete -c portolan -n __fish_use_subcommand -a rm -d 'Remove the user\\'s'\n",
    );
    expect(script).to.include("complete -c portolan -n '__fish_seen_subcommand_from run' -l env -x\n");
    expect(script).to.include("-l transport -x -a 'stdio sse'\n");
    expect(script).to.include('-l group -s g -x -a');
    expect(script).to.include("-l registry -x -a '(portolan completion names registry ");
    expect(script).to.include("__fish_seen_subcommand_from show' -a '(portolan completion names source ");
    expect(script).to.include(
      "-n '__fish_seen_subcommand_from config; and __fish_seen_subcommand_from check' -l config -s c -r -F\n",
    );
  });
});
