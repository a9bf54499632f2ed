import { expect } from 'chai';
import {
  findMissingPart,
  mergeMissingParts,
  type MissingPart,
} from '../../src/supervisor/process/missing-part.ts';

const LINES: Readonly<Record<MissingPart['kind'], readonly (readonly [line: string, name: string])[]>> = {
  sdk: [
    ["AttributeError: 'Server' object has no attribute 'list_resources'", ''],
    [
      "ModuleNotFoundError: No module named 'mcp.server.fastmcp'. This is mcp 2.x, where FastMCP was renamed",
      '',
    ],
    ["ImportError: cannot import name 'McpError' from 'mcp' (/opt/tools/x/mcp/__init__.py)", ''],
  ],
  version: [
    ["node: /lib/libc.so.6: version `GLIBC_2.38' not found (required by node)", 'GLIBC_2.38'],
    ["/lib/libstdc++.so.6: version `CXXABI_1.3.15' not found", 'CXXABI_1.3.15'],
    ['Error relocating /app/x.node: fcntl64: symbol not found', 'fcntl64'],
  ],
  library: [
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
    ["Process terminated. Couldn't find a valid ICU package installed on the system. Set the flag", 'libicu'],
    ['ImportError: libGL.so.1: cannot open shared object file: No such file or directory', 'libGL.so.1'],
    ['Error: libvips-cpp.so.42: cannot open shared object file', 'libvips-cpp.so.42'],
    [
      "OSError: cannot load library 'gobject-2.0-0': gobject-2.0-0: cannot open shared object file",
      'gobject-2.0-0',
    ],
    ['No usable version of libssl was found', 'libssl'],
    ['ImportError: failed to find libmagic.  Check your installation', 'libmagic'],
    ['║     libnspr4.so                       ║', 'libnspr4.so'],
    ['/lib64/ld-linux-x86-64.so.2: No such file or directory', 'ld-linux-x86-64.so.2'],
    ['/lib/ld-musl-x86_64.so.1: not found', 'ld-musl-x86_64.so.1'],
    ['rosetta error: failed to open elf at /lib64/ld-linux-x86-64.so.2', 'ld-linux-x86-64.so.2'],
  ],
  loader: [
    ['Error: spawn /app/node_modules/@azure/mcp-linux-x64/dist/azmcp ENOENT', 'azmcp'],
    ['/app/start: line 3: /app/azmcp: cannot execute: required file not found', 'azmcp'],
  ],
  user: [
    [
      'SystemError [ERR_SYSTEM_ERROR]: A system error occurred: uv_os_get_passwd returned ENOENT (no such file or directory)',
      '',
    ],
    ["KeyError: 'getpwuid(): uid not found: 65532'", ''],
    ['whoami: cannot find name for user ID 65532', ''],
    ['user: unknown userid 65532', ''],
    ['fatal: unable to look up current user in the passwd file: no such user', ''],
  ],
  program: [
    ['Error: spawn git ENOENT', 'git'],
    ['spawn /usr/bin/git ENOENT', 'git'],
    ["FileNotFoundError: [Errno 2] No such file or directory: 'git'", 'git'],
    ["FileNotFoundError: [Errno 2] No such file or directory: '/usr/bin/ffmpeg'", 'ffmpeg'],
    ['ImportError: Bad git executable.', 'git'],
    ['sh: rg: not found', 'rg'],
    ['/bin/sh: 1: ffmpeg: not found', 'ffmpeg'],
    ['/app/start: 3: jq: not found', 'jq'],
    ['bash: line 1: kubectl: command not found', 'kubectl'],
    ['/app/run.sh: line 3: jq: command not found', 'jq'],
    ['zsh: command not found: jq', 'jq'],
    ["env: can't execute 'python': No such file or directory", 'python'],
    ['env: ‘bash’: No such file or directory', 'bash'],
    ['exec: "docker": executable file not found in $PATH', 'docker'],
  ],
};

describe('findMissingPart (W2)', () => {
  for (const [kind, lines] of Object.entries(LINES)) {
    for (const [line, name] of lines) {
      it(`finds a missing ${kind} in ${line.slice(0, 70)}`, () => {
        expect(findMissingPart(line)).to.deep.equal({ kind, names: name === '' ? [] : [name] });
      });
    }
  }

  for (const line of [
    "FileNotFoundError: [Errno 2] No such file or directory: '/data/notes.db'",
    "FileNotFoundError: [Errno 2] No such file or directory: 'config.json'",
    "Error: ENOENT: no such file or directory, open '/x'",
    'Error: the repository was not found',
    'tool search: 404 not found',
    'Resource: not found',
    'API key not found',
    'No such user: ada',
    "Error: Cannot find module 'x'",
    'Loaded /usr/lib/libssl.so.3',
  ]) {
    it(`finds nothing in ${line}`, () => {
      expect(findMissingPart(line)).to.equal(undefined);
    });
  }
});

describe('mergeMissingParts (W2)', () => {
  const merge = (...lines: readonly string[]): MissingPart | undefined =>
    lines.reduce<MissingPart | undefined>((merged, line) => {
      const found = findMissingPart(line);
      return found === undefined ? merged : mergeMissingParts(merged, found);
    }, undefined);

  it('prefers the library to the program that needs it, in any order', () => {
    const lines = [
      'Error: spawn /app/azmcp ENOENT',
      'x: error while loading shared libraries: librt.so.1: no',
    ];
    const library = { kind: 'library', names: ['librt.so.1'] };
    expect(merge(...lines)).to.deep.equal(library);
    expect(merge(...lines.toReversed())).to.deep.equal(library);
    expect(merge('sh: rg: not found', ...lines)).to.deep.equal(library);
  });

  it('collects up to ten libraries, each once', () => {
    expect(merge('  libnspr4.so', '  libnss3.so', '  libnspr4.so')?.names).to.deep.equal([
      'libnspr4.so',
      'libnss3.so',
    ]);
    const many = Array.from({ length: 30 }, (_, index) => `libx${index}.so.1`);
    expect(merge(...many)?.names).to.have.length(10);
  });
});
