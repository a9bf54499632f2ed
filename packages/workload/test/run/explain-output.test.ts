import { expect } from 'chai';
import { explainMissing, type FailedImage } from '../../src/run/explain-output.ts';
import { parseImageSystem } from '../../src/run/system-packages.ts';

const BOOKWORM =
  'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nVERSION_ID="12"\nVERSION_CODENAME=bookworm\nID=debian\n';
const TRIXIE = 'VERSION_ID="13"\nVERSION_CODENAME=trixie\nID=debian\n';
const NOBLE = 'NAME="Ubuntu"\nVERSION_ID="24.04"\nVERSION_CODENAME=noble\nID=ubuntu\nID_LIKE=debian\n';
const JAMMY = 'VERSION_ID="22.04"\nVERSION_CODENAME=jammy\nID=ubuntu\n';
const FORKY = 'VERSION_CODENAME=forky\nID=debian\n';
const ALPINE = 'NAME="Alpine Linux"\nID=alpine\nVERSION_ID=3.22.1\n';
const FEDORA = 'ID=fedora\nVERSION_ID=43\n';

function built(release: string | undefined, scheme = 'npx'): FailedImage {
  return { scheme, system: release === undefined ? undefined : parseImageSystem(release) };
}

const FOREIGN: FailedImage = { scheme: undefined, system: undefined };

describe('explainMissing (W2)', () => {
  for (const [release, library, flags] of [
    [BOOKWORM, 'libicu', '--runtime-add-package libicu72'],
    [TRIXIE, 'libicu', '--runtime-add-package libicu76'],
    [NOBLE, 'libicu', '--runtime-add-package libicu74'],
    [JAMMY, 'libicu', '--runtime-add-package libicu70'],
    [FORKY, 'libicu', '--runtime-add-package icu-devtools'],
    [ALPINE, 'libicu', '--runtime-add-package icu-libs'],
    [BOOKWORM, 'libicui18n.so.72', '--runtime-add-package libicu72'],
    [BOOKWORM, 'libssl.so.3', '--runtime-add-package libssl3'],
    [TRIXIE, 'libssl.so.3', '--runtime-add-package libssl3t64'],
    [JAMMY, 'libasound.so.2', '--runtime-add-package libasound2'],
    [NOBLE, 'libasound.so.2', '--runtime-add-package libasound2t64'],
    [FORKY, 'libcups.so.2', '--runtime-add-package libcups2t64'],
    [TRIXIE, 'libpq.so.5', '--runtime-add-package libpq5'],
    [TRIXIE, 'libpango-1.0.so.0', '--runtime-add-package libpango-1.0-0'],
    [BOOKWORM, 'libstdc++.so.6', '--runtime-add-package libstdc++6'],
    [ALPINE, 'libstdc++.so.6', '--runtime-add-package libstdc++'],
    [BOOKWORM, 'libGL.so.1', '--runtime-add-package libgl1'],
    [BOOKWORM, 'ld-musl-x86_64.so.1', '--runtime-add-package musl'],
    [BOOKWORM, 'ld-linux.so.2', '--runtime-add-package libc6-i386'],
    [FEDORA, 'libicu', '--runtime-add-package NAME'],
    [ALPINE, 'libvips-cpp.so.42', '--runtime-add-package NAME'],
  ] as const) {
    it(`names the package of ${library} in ${release.trim().replaceAll('\n', ' ')}`, () => {
      const { cause, hint } = explainMissing({ kind: 'library', names: [library] }, built(release));
      expect(cause).to.equal(`The server needs ${library}, which its image does not have.`);
      expect(hint)
        .to.match(new RegExp(`${flags.replaceAll('+', '\\+')}[\`;]`))
        .and.include('--runtime-image ');
    });
  }

  it('names each package once for several libraries', () => {
    const names = ['libnspr4.so', 'libnss3.so', 'libnssutil3.so'];
    expect(explainMissing({ kind: 'library', names }, built(TRIXIE)).hint).to.include(
      '`--runtime-add-package libnspr4 --runtime-add-package libnss3`',
    );
  });

  it('names the releases that have a package, when the release of the image does not have it', () => {
    const icu = explainMissing({ kind: 'library', names: ['libicuuc.so.72'] }, built(TRIXIE));
    expect(icu.hint).to.include('base image of bookworm').and.include('libicu72').and.include('trixie');
    const ssl = explainMissing({ kind: 'library', names: ['libssl.so.1.1'] }, built(BOOKWORM));
    expect(ssl.hint).to.include('base image of bullseye or focal').and.include('libssl1.1');
  });

  for (const [part, base, scheme] of [
    [{ kind: 'library', names: ['librt.so.1'] }, 'node:24-slim', 'npx'],
    [{ kind: 'library', names: ['ld-linux-x86-64.so.2'] }, 'python:3.14-slim', 'uvx'],
    [{ kind: 'loader', names: ['azmcp'] }, 'node:24-slim', 'npx'],
    [{ kind: 'version', names: ['fcntl64'] }, 'node:24-slim', 'npx'],
    [{ kind: 'library', names: ['libicu'] }, 'node:24-slim', 'npx', undefined],
  ] as const) {
    it(`advises ${base} for ${part.names[0]}`, () => {
      for (const release of part.names[0] === 'libicu' ? [undefined] : [ALPINE, undefined])
        expect(explainMissing(part, built(release, scheme)).hint)
          .to.include(`--runtime-image ${base}`)
          .and.include('--runtime-add-package');
    });
  }

  it('advises a newer base image for a symbol version on Debian', () => {
    const { cause, hint } = explainMissing({ kind: 'version', names: ['GLIBC_2.38'] }, built(BOOKWORM));
    expect(cause).to.include('GLIBC_2.38');
    expect(hint).to.include('newer release').and.include('--runtime-image');
  });

  for (const [release, program, name] of [
    [BOOKWORM, 'git', 'git'],
    [undefined, 'rg', 'ripgrep'],
    [BOOKWORM, 'fd', 'fd-find'],
    [ALPINE, 'fd', 'fd'],
    [ALPINE, 'pip', 'py3-pip'],
  ] as const) {
    it(`names the package of the program ${program} in ${release === ALPINE ? 'Alpine' : 'Debian'}`, () => {
      const { cause, hint } = explainMissing({ kind: 'program', names: [program] }, built(release));
      expect(cause).to.equal(`The server starts the program ${program}, which its image does not have.`);
      expect(hint).to.include(`--runtime-add-package ${name}\``).and.include('--runtime-image');
    });
  }

  for (const kind of ['library', 'loader', 'version', 'program'] as const) {
    it(`advises another image, or the package itself, for an image of others without a ${kind}`, () => {
      expect(explainMissing({ kind, names: ['x'] }, FOREIGN).hint)
        .to.match(/^Use (?:another|an) image/)
        .and.include('--runtime-add-package');
    });
  }

  it('names the flag for version 1 of the Python library mcp', () => {
    for (const image of [built(BOOKWORM, 'uvx'), FOREIGN]) {
      const { cause, hint } = explainMissing({ kind: 'sdk', names: [] }, image);
      expect(cause).to.include('version 1 of the Python library mcp');
      expect(hint).to.include('--build-with "mcp<2"');
    }
  });

  it('names the user that an image does not have', () => {
    expect(explainMissing({ kind: 'user', names: [] }, FOREIGN)).to.satisfy(
      ({ cause, hint }: { cause: string; hint: string }) =>
        cause.includes('/etc/passwd') && hint.includes('npx://'),
    );
    expect(explainMissing({ kind: 'user', names: [] }, built(ALPINE)).hint).to.include('doctor --fix');
  });
});
