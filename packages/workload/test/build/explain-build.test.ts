import { expect } from 'chai';
import { packageBuildFailed } from '../../src/build/build-errors.ts';
import { explainBuild } from '../../src/build/explain-build.ts';

describe('explainBuild', () => {
  for (const { title, output, hint } of [
    {
      title: 'the Python version that pip requires of a package',
      output:
        'ERROR: Ignored the following versions that require a different python version: 0.1.3 Requires-Python >=3.9; 1.0.2 Requires-Python ==3.12.*\nERROR: Could not find a version that satisfies the requirement kagimcp==1.0.2',
      hint: 'A package needs Python ==3.12.*: choose a base image with it, `--runtime-image python:3.12-slim`',
    },
    {
      title: 'the Python version that pip requires of a folder',
      output: "ERROR: Package 'notes' requires a different Python: 3.14.0 not in '<3.13,>=3.10'",
      hint: 'A package needs Python <3.13,>=3.10: choose a base image with it, `--runtime-image python:3.12-slim`',
    },
    {
      title: 'a Python version newer than any image',
      output: 'Ignored the following versions: 1.0 Requires-Python >=3.99',
      hint: '`--runtime-image IMAGE`',
    },
    {
      title: 'the version of Go',
      output: 'go: example.org/notes@v1.0.0 requires go >= 1.27 (running go 1.26.1; GOTOOLCHAIN=local)',
      hint: '`--runtime-image golang:1.27-alpine`',
    },
    {
      title: 'a compiler that setuptools starts',
      output: "error: command 'x86_64-linux-gnu-gcc' failed: No such file or directory",
      hint: '`--runtime-add-package build-essential` on Debian, `build-base` on Alpine',
    },
    {
      title: 'a compiler that node-gyp starts',
      output: 'gyp ERR! stack Error: not found: make',
      hint: 'build-essential',
    },
    {
      title: 'Python for node-gyp',
      output: 'gyp ERR! find Python Python is not set from command line',
      hint: '`--runtime-add-package python3`',
    },
    {
      title: 'git for a dependency from a repository',
      output:
        "ERROR: Error [Errno 2] No such file or directory: 'git' while executing\nERROR: Cannot find command 'git' - do you have 'git' installed",
      hint: '`--runtime-add-package git`',
    },
    { title: 'Rust', output: "error: can't find Rust compiler", hint: '`--runtime-add-package cargo`' },
  ]) {
    it(`returns the hint about ${title}`, () => {
      expect(explainBuild(output)).to.include(hint);
      const error = packageBuildFailed('uvx://notes', new Error(`it failed.\n  ${output}`), [], undefined);
      expect(error.hint).to.include(hint);
    });
  }

  for (const [constraint, image] of [
    ['>=3.10', 'python:3.14-slim'],
    ['~=3.11.2', 'python:3.11-slim'],
    ['~=3.11', 'python:3.14-slim'],
    ['<3.13.1', 'python:3.13-slim'],
    ['!=3.14.*,>=3.9', 'python:3.13-slim'],
    ['<=3.12', 'python:3.12-slim'],
  ] as const) {
    it(`chooses ${image} for Python ${constraint}`, () => {
      expect(explainBuild(`1.0 Requires-Python ${constraint}\n`)).to.include(`\`--runtime-image ${image}\``);
    });
  }

  it('returns nothing for other output', () => {
    expect(explainBuild('npm error 404 Not Found - GET https://registry.example/x')).to.equal(undefined);
  });
});
