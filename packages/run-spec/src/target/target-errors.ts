import { PortolanError } from '@portolan/plugin-api';
import { isReservedImage } from '@portolan/outbound';
import { quote } from '../parse/text-faults.ts';

/** Creates the error for a run target that is neither a server, an image, a package nor a URL. */
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
    `${place}: found ${quote(text)}; expected a name without portolanlocal/ and portolanused/, which are for images that Portolan builds.`,
    {
      hint: 'Name the package of the image, such as npx://PACKAGE, or an image of an image registry.',
    },
  );
}

/** Throws ERR_IMAGE_RESERVED for an image name that only Portolan uses. */
export function refuseReservedImage(text: string, place: string): void {
  if (isReservedImage(text)) throw imageReserved(place, text);
}

/** Creates the error for text after a package scheme that is not a package of its ecosystem. */
export function badPackage(text: string, fault: string, hint: string): PortolanError {
  return new PortolanError('ERR_PACKAGE', 'mistake', `${quote(text)} is not a package: ${fault}.`, { hint });
}

/** Creates the error for an invalid workload name. */
export function badWorkloadName(place: string, text: string, fault: string): PortolanError {
  return new PortolanError(
    'ERR_SETTING',
    'mistake',
    `${place}: ${quote(text)} is not a workload name: ${fault}.`,
    {
      hint: 'Use letters, digits, ".", "_" and "-", at most 100 characters.',
    },
  );
}

/** Creates the error for an invalid group name. */
export function badGroupName(place: string, text: string): PortolanError {
  return new PortolanError('ERR_SETTING', 'mistake', `${place}: ${quote(text)} is not a group name.`, {
    hint: 'Use lowercase letters, digits, "_", "-" and single spaces between words, at most 100 characters.',
  });
}
