import { PortolanError } from '@portolan/plugin-api';

const OFF = 'or run the image without this check: --image-verification disabled';

/** Creates the error for an image without a known signer while only signed images may run. */
export function provenanceNotSet(reference: string): PortolanError {
  return new PortolanError(
    'ERR_IMAGE_PROVENANCE_UNKNOWN',
    'refused',
    `${reference}: provenance server information not set; only a registry entry with \`provenance\` says who signs an image.`,
    { hint: `Run a server whose registry entry has \`provenance\`, ${OFF}.` },
  );
}

/** Creates the error for an image without a valid signature. */
export function imageNotSigned(reference: string, because: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_IMAGE_PROVENANCE',
    'refused',
    `${reference}: image is not signed: ${because}.`,
    {
      hint: `Ask the publisher of the image to sign it, ${OFF}.`,
      cause,
    },
  );
}

/** Creates the error for an image whose signer differs from the registry entry. */
export function provenanceDiffers(reference: string, differences: readonly string[]): PortolanError {
  const lines = differences.map((difference) => `\n  ${difference}`).join('');
  return new PortolanError(
    'ERR_IMAGE_PROVENANCE',
    'refused',
    `${reference}: image provenance does not match the registry entry:${lines}`,
    { hint: `Ask the publisher which image is the right one, ${OFF}.` },
  );
}

/** Creates the error for unavailable verification material. */
export function verifierUnavailable(because: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_IMAGE_VERIFIER',
    'unavailable',
    `Image signatures cannot be checked: ${because}.`,
    {
      hint: `Check the connection, ${OFF}.`,
      cause,
    },
  );
}

/**
 * Creates the error for GitHub's TUF repository without a configured root, which the program does not
 * include.
 */
export function githubRootUnknown(host: string): PortolanError {
  return new PortolanError(
    'ERR_IMAGE_VERIFIER',
    'unavailable',
    `Image signatures cannot be checked: the first root of ${host} is not known.`,
    {
      hint: `Get the file 1.root.json of ${host} from a source that you trust, then run \`portolan config set verification.github_root /PATH/1.root.json\`.`,
    },
  );
}

/** Creates the error for a failed request to an image registry. */
export function imageRegistryFailed(registry: string, what: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_IMAGE_VERIFIER', 'unavailable', `The image registry ${registry} ${what}.`, {
    hint: `Check the name of the image and your login at the registry, ${OFF}.`,
    cause,
  });
}
