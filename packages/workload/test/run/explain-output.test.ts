import { expect } from 'chai';
import { explainOutput } from '../../src/run/explain-output.ts';

describe('explainOutput (W2)', () => {
  for (const [line, program, name = program] of [
    ['Error: spawn git ENOENT', 'git'],
    ["FileNotFoundError: [Errno 2] No such file or directory: 'git'", 'git'],
    ["FileNotFoundError: [Errno 2] No such file or directory: '/usr/bin/ffmpeg'", 'ffmpeg'],
    ['ImportError: Bad git executable.', 'git'],
    ['sh: rg: not found', 'rg', 'ripgrep'],
    ['/bin/sh: 1: ffmpeg: not found', 'ffmpeg'],
    ['bash: line 1: kubectl: command not found', 'kubectl'],
    ['/app/run.sh: line 3: jq: command not found', 'jq'],
    ["env: can't execute 'python': No such file or directory", 'python', 'python3'],
    ['env: ‘bash’: No such file or directory', 'bash'],
    ['exec: "docker": executable file not found in $PATH', 'docker'],
  ] as const) {
    it(`names the missing program in ${line}`, () => {
      const built = explainOutput(['starting', line, 'at main'], true);
      expect(built?.cause).to.equal(
        `The server starts the program ${program}, which its image does not have.`,
      );
      expect(built?.hint).to.include(`--runtime-add-package ${name}\``).and.include('--runtime-image');
      expect(explainOutput([line], false)?.hint)
        .to.include('Use an image that has')
        .and.include('--runtime-add-package');
    });
  }

  for (const [line, library] of [
    [
      '/app/azmcp: error while loading shared libraries: librt.so.1: cannot open shared object file',
      'librt.so.1',
    ],
    [
      'Error loading shared library libstdc++.so.6: No such file or directory (needed by /app/x.node)',
      'libstdc++.so.6',
    ],
    [
      "Couldn't find a valid ICU package installed on the system. Please install libicu (or icu-libs) using your package manager and try again.",
      'libicu',
    ],
    ['ImportError: libGL.so.1: cannot open shared object file: No such file or directory', 'libGL.so.1'],
    ['/lib64/ld-linux-x86-64.so.2: No such file or directory', 'ld-linux-x86-64.so.2'],
    ["node: /lib/libc.so.6: version `GLIBC_2.38' not found (required by node)", 'GLIBC_2.38'],
  ] as const) {
    it(`names the missing library in ${line.slice(0, 60)}`, () => {
      const found = explainOutput([line], true);
      expect(found?.cause).to.equal(`The server needs ${library}, which its image does not have.`);
      expect(found?.hint).to.include('--runtime-image').and.include('--runtime-add-package');
    });
  }

  it('names a native program whose loader is missing', () => {
    const line = 'Error: spawn /app/node_modules/@azure/mcp-linux-x64/dist/azmcp ENOENT';
    const found = explainOutput([line], true);
    expect(found?.cause).to.equal(
      'The program azmcp of the server needs a loader or library, which its image does not have.',
    );
    expect(found?.hint).to.include('--runtime-image').and.include('--runtime-add-package');
    expect(explainOutput(['spawn /usr/bin/git ENOENT'], true)?.cause).to.include('the program git');
  });

  for (const line of [
    'SystemError [ERR_SYSTEM_ERROR]: A system error occurred: uv_os_get_passwd returned ENOENT (no such file or directory)',
    "KeyError: 'getpwuid(): uid not found: 65532'",
    'whoami: cannot find name for user ID 65532',
    'user: unknown userid 65532',
  ]) {
    it(`names the missing user in ${line.slice(0, 60)}`, () => {
      expect(explainOutput([line], false)?.cause).to.include('/etc/passwd');
    });
  }

  for (const line of [
    "FileNotFoundError: [Errno 2] No such file or directory: '/data/notes.db'",
    "FileNotFoundError: [Errno 2] No such file or directory: 'config.json'",
    "Error: ENOENT: no such file or directory, open '/x'",
    'Error: the repository was not found',
    'tool search: 404 not found',
    'API key not found',
    "Error: Cannot find module 'x'",
  ]) {
    it(`returns undefined for ${line}`, () => {
      expect(explainOutput([line], true)).to.equal(undefined);
    });
  }
});
