import { PortolanError } from '@portolan/plugin-api';
import { isReservedImage } from '@portolan/outbound';
import { quote } from '../parse/text-faults.ts';

/** Creates the error for an unknown form of run target. */
export function badRunTarget(text: string, fault: string, hint: string): PortolanError {
  return new PortolanError('ERR_RUN_TARGET', 'mistake', `Cannot run ${quote(text)}: ${fault}.`, { hint });
}

/**
 * Creates the error for an image name that only Portolan uses: anyone could publish another image under it.
 */
export function imageReserved(place: string, text: string): PortolanError {
  return new PortolanError(
    'ERR_IMAGE_RESERVED',
    'refused',
    `${place}: found ${quote(text)}; names with portolanlocal/ and portolanused/ are for images that Portolan builds itself.`,
    {
      hint: 'Name the package that the image is built of, such as npx://PACKAGE, or an image of a registry.',
    },
  );
}

/** Throws ERR_IMAGE_RESERVED for an image name that only Portolan uses. */
export function refuseReservedImage(text: string, place: string): void {
  if (isReservedImage(text)) throw imageReserved(place, text);
}

/** Creates the error for text after a package scheme that is not a package of its ecosystem. */
export function badPackage(text: string, fault: string, hint: string): PortolanError {
  return new PortolanError('ERR_PACKAGE', 'mistake', `${quote(text)} names no package: ${fault}.`, { hint });
}

/** Creates the error for an invalid workload name. */
export function badWorkloadName(place: string, text: string, fault: string): PortolanError {
  return new PortolanError(
    'ERR_SETTING',
    'mistake',
    `${place}: ${quote(text)} is no workload name: ${fault}.`,
    {
      hint: 'Use letters, digits, ".", "_" and "-", at most 100 of them.',
    },
  );
}

/** Creates the error for an invalid group name. */
export function badGroupName(place: string, text: string): PortolanError {
  return new PortolanError('ERR_SETTING', 'mistake', `${place}: ${quote(text)} is no group name.`, {
    hint: 'Use small letters, digits, "_", "-" and single spaces between words, at most 100 of them.',
  });
}
