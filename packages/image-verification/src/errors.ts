import { PortolanError } from '@portolan/plugin-api';

const OFF = 'or run it without this check: --image-verification disabled';

/** Nothing is known about who signs the image, and only signed images may run. */
export function provenanceNotSet(reference: string): PortolanError {
  return new PortolanError(
    'ERR_IMAGE_PROVENANCE_UNKNOWN',
    'refused',
    `${reference}: provenance server information not set; only a registry entry with \`provenance\` says who signs an image.`,
    { hint: `Run a server of a registry that has it, ${OFF}.` },
  );
}

/** No signature of the image holds. */
export function imageNotSigned(reference: string, because: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_IMAGE_PROVENANCE',
    'refused',
    `${reference}: image is not signed: ${because}.`,
    {
      hint: `Ask whoever publishes the image, ${OFF}.`,
      cause,
    },
  );
}

/** The image is signed, by somebody or something else than the registry entry says. */
export function provenanceDiffers(reference: string, differences: readonly string[]): PortolanError {
  const lines = differences.map((difference) => `\n  ${difference}`).join('');
  return new PortolanError(
    'ERR_IMAGE_PROVENANCE',
    'refused',
    `${reference}: image provenance does not match the registry entry:${lines}`,
    { hint: `Ask whoever publishes the image, ${OFF}.` },
  );
}

/** What signatures are checked against cannot be had. */
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

/** The root of GitHub's repository is not part of the program, and the user has named none. */
export function githubRootUnknown(host: string): PortolanError {
  return new PortolanError(
    'ERR_IMAGE_VERIFIER',
    'unavailable',
    `Image signatures cannot be checked: the first root of ${host} is not known.`,
    {
      hint: `Get 1.root.json of ${host} from somebody you trust, then: portolan config set verification.github_root /PATH/1.root.json.`,
    },
  );
}

/** The registry of the image does not say what was asked for. */
export function imageRegistryFailed(registry: string, what: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_IMAGE_VERIFIER', 'unavailable', `The image registry ${registry} ${what}.`, {
    hint: `Check the name of the image and your login at the registry, ${OFF}.`,
    cause,
  });
}
