import type { MissingPart } from '../supervisor/process/missing-part.ts';
import {
  findOtherReleases,
  type ImageSystem,
  isDebianLike,
  isOfGlibc,
  packageOfLibrary,
  packageOfProgram,
} from './system-packages.ts';

/** Cause of a server's failure that was recognized in the server's output. */
export interface OutputCause {
  /** Sentence for the error message. */
  readonly cause: string;
  /** Hint for the user. */
  readonly hint: string;
}

/** Image of a server that failed. */
export interface FailedImage {
  /**
   * Scheme of the package from which Portolan built the image; undefined for an image that Portolan did not
   * build.
   */
  readonly scheme: string | undefined;
  /** Undefined when the image has no `/etc/os-release`, or could not be read. */
  readonly system: ImageSystem | undefined;
}

/** Debian base images to suggest in hints, by package scheme. */
const DEBIAN_BASES: Readonly<Record<string, string>> = { npx: 'node:24-slim', uvx: 'python:3.14-slim' };

/** Returns the cause and the hint for a part that the image of a server lacks. Pure. */
export function explainMissing(part: MissingPart, image: FailedImage): OutputCause {
  switch (part.kind) {
    case 'user':
      return {
        cause: 'The server looks its user up in /etc/passwd, which has no entry for it.',
        hint:
          image.scheme === undefined
            ? 'Use an image with an entry for its user in /etc/passwd, or run the package itself, such as npx://PACKAGE.'
            : 'Build the image again: `portolan doctor --fix` removes the old one.',
      };
    case 'sdk':
      return {
        cause: 'The server needs version 1 of the Python library mcp. Its image has version 2.',
        hint:
          image.scheme === undefined
            ? 'Use another image of the server, or run the package itself with `--build-with "mcp<2"`.'
            : 'Build the image with version 1, `--build-with "mcp<2"`, or run a newer version of the package.',
      };
    case 'program':
      return explainProgram(part.names[0] ?? '', image);
    case 'version':
      return {
        cause: `The server needs ${part.names.join(', ')}, which its image does not have.`,
        hint: hintForBase(image, 'Choose a base image of a newer release: its libraries are too old'),
      };
    case 'loader':
      return {
        cause: `The program ${part.names[0]} of the server needs a loader or library, which its image does not have.`,
        hint: hintForBase(image, 'If the program is made for musl, add `--runtime-add-package musl`'),
      };
    case 'library':
      return {
        cause: `The server needs ${part.names.join(', ')}, which its image does not have.`,
        hint: hintForLibraries(part.names, image),
      };
    default:
      return part.kind satisfies never;
  }
}

function explainProgram(program: string, { scheme, system }: FailedImage): OutputCause {
  const name = packageOfProgram(program, system);
  return {
    cause: `The server starts the program ${program}, which its image does not have.`,
    hint:
      scheme === undefined
        ? `Use an image that has ${program}, or run the package itself with \`--runtime-add-package ${name}\`.`
        : `Add its system package, \`--runtime-add-package ${name}\`, or another base image with it, \`--runtime-image IMAGE\`.`,
  };
}

function hintForLibraries(libraries: readonly string[], image: FailedImage): string {
  const { scheme, system } = image;
  if (scheme === undefined)
    return 'Use another image of the server, or run the package itself with `--runtime-image IMAGE` and `--runtime-add-package NAME`.';
  const [first = ''] = libraries;
  if (libraries.some(isOfGlibc))
    return hintForBase(
      image,
      `Add \`--runtime-add-package ${first === 'ld-linux.so.2' ? 'libc6-i386' : 'libc6'}\``,
      GLIBC_MISSING,
    );
  if (system === undefined) return hintForBase(image, '');
  const packages = libraries.map((library) => packageOfLibrary(library, system));
  const names = [...new Set(packages.filter((name) => name !== undefined))];
  const release = `${system.id} ${system.codename || system.version}`.trim();
  const others = names.flatMap((name) => findOtherReleases(name, system));
  if (others.length > 0)
    return `Choose a base image of ${others.join(' or ')}, \`--runtime-image IMAGE\`, and add \`--runtime-add-package ${names.join(' --runtime-add-package ')}\`: ${release} does not have it.`;
  if (names.length === 0)
    return `Add the system package of ${release} that has ${first}, \`--runtime-add-package NAME\`, or choose a base image with it, \`--runtime-image IMAGE\`.`;
  const flags = names.map((name) => `--runtime-add-package ${name}`).join(' ');
  return `Add its system package in ${release}, \`${flags}\`, or choose a base image with it, \`--runtime-image IMAGE\`.`;
}

const GLIBC_MISSING = 'It is a library of glibc, which images of Debian have and those of Alpine do not. ';

/**
 * Returns a hint about something that Debian images contain. `onDebian` is the advice for an image that is
 * based on Debian already.
 */
function hintForBase({ scheme, system }: FailedImage, onDebian: string, reason = ''): string {
  if (scheme === undefined)
    return 'Use another image of the server, or run the package itself with `--runtime-image IMAGE` and `--runtime-add-package NAME`.';
  const added = '`--runtime-add-package NAME` adds what that image lacks too.';
  if (system !== undefined && isDebianLike(system))
    return `${onDebian}, or choose another base image, \`--runtime-image IMAGE\`.`;
  const base = Object.hasOwn(DEBIAN_BASES, scheme) ? DEBIAN_BASES[scheme] : 'IMAGE';
  return `${reason}Choose a base image of Debian, such as \`--runtime-image ${base}\`; ${added}`;
}
