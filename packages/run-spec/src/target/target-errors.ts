import { PortolanError } from '@portolan/plugin-api';
import { isReservedImage } from '@portolan/outbound';
import { quote } from '../parse/text-faults.ts';

/** What should be run is none of the things that can be run. */
export function badRunTarget(text: string, fault: string, hint: string): PortolanError {
  return new PortolanError('ERR_RUN_TARGET', 'mistake', `Cannot run ${quote(text)}: ${fault}.`, { hint });
}

/** An image is named that only Portolan itself makes: anybody could publish another one under that name. */
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

/** Throws ERR_IMAGE_RESERVED for an image that only Portolan itself makes. */
export function refuseReservedImage(text: string, place: string): void {
  if (isReservedImage(text)) throw imageReserved(place, text);
}

/** What stands behind a package scheme is no package of that ecosystem. */
export function badPackage(text: string, fault: string, hint: string): PortolanError {
  return new PortolanError('ERR_PACKAGE', 'mistake', `${quote(text)} names no package: ${fault}.`, { hint });
}

/** A workload cannot have this name. */
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

/** A group cannot have this name. */
export function badGroupName(place: string, text: string): PortolanError {
  return new PortolanError('ERR_SETTING', 'mistake', `${place}: ${quote(text)} is no group name.`, {
    hint: 'Use small letters, digits, "_", "-" and single spaces between words, at most 100 of them.',
  });
}
