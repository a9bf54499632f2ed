import type { Ecosystem, PackageParser, PackageReference } from '@portolan/plugin-api';
import { badRunTarget } from './target-errors.ts';
import { findImageReference, type ImageReference } from '@portolan/outbound';
import { findPlaceholder } from '../parse/placeholder.ts';
import { parsePackage } from './parse-package.ts';

/** Resolved target of a run. */
export type RunTarget =
  | { readonly from: 'file'; readonly path: string }
  | { readonly from: 'url'; readonly url: URL }
  | {
      readonly from: 'scheme';
      readonly scheme: string;
      /** Text after `://`. */
      readonly package: string;
      readonly reference: PackageReference;
    }
  | { readonly from: 'registry'; readonly server: string }
  | { readonly from: 'image'; readonly reference: string }
  | MembersTarget;

/** Virtual server, whose members a file or a group names. Exactly one of the two is present. */
export interface MembersTarget {
  readonly from: 'members';
  readonly file: string | undefined;
  readonly group: string | undefined;
}

/** Name that may be a registry server, so that the registry must be queried. */
export interface NamedTarget {
  readonly from: 'name';
  readonly text: string;
  /** Whether the name has the form of a registry server, so that a look-up makes sense. */
  readonly canBeServer: boolean;
  readonly canBeImage: boolean;
  /** Whether the text is clearly an image, by its tag, digest or image registry. */
  readonly saysImage: boolean;
}

export interface Classified<Target> {
  readonly target: Target;
  /** Rule by which the target was classified, for `plan`. */
  readonly because: string;
}

export interface TargetRequest {
  /** Argument of `run` before `--`. */
  readonly argument: string | undefined;
  readonly fromConfig: string | undefined;
  /** File of `--members`. */
  readonly members?: string | undefined;
  readonly memberGroup?: string | undefined;
  /** Package schemes, with the ecosystem of each. */
  readonly schemes: ReadonlyMap<string, Ecosystem | PackageParser>;
}

const NOTHING_NAMED =
  'Name a server of the registry, an image, SCHEME://PACKAGE or a URL, or use --from-config or --members.';

/**
 * Classifies the target of a run. Pure: a plain name stays undecided until `settleName` gets the result of
 * the registry look-up. Throws ERR_RUN_TARGET and ERR_PACKAGE.
 */
export function classifyTarget(request: TargetRequest): Classified<RunTarget | NamedTarget> {
  const { argument, fromConfig, schemes } = request;
  const members = classifyMembers(request);
  if (members !== undefined) return members;
  if (fromConfig !== undefined) {
    if (argument !== undefined) {
      throw badRunTarget(argument, 'the file of --from-config says what to run', 'Leave one of the two out.');
    }
    const target = { from: 'file', path: fromConfig } as const;
    return { target, because: '--from-config names a file.' };
  }
  if (argument === undefined || argument.trim() === '') {
    throw badRunTarget(argument ?? '', 'nothing is named', NOTHING_NAMED);
  }
  return classifyArgument(argument, schemes);
}

/** Returns the target of `--members` and `--member-group`; undefined without them. */
function classifyMembers(request: TargetRequest): Classified<MembersTarget> | undefined {
  const { argument, fromConfig, members: file, memberGroup: group } = request;
  const flag = file === undefined ? '--member-group' : '--members';
  const named = file ?? group;
  if (named === undefined) return undefined;
  const omit = 'Leave one of the two out.';
  if (file !== undefined && group !== undefined) {
    throw badRunTarget(file, '--member-group names other members', omit);
  }
  if (argument !== undefined) throw badRunTarget(argument, `${flag} says what to run`, omit);
  if (fromConfig !== undefined) throw badRunTarget(fromConfig, `${flag} says what to run`, omit);
  if (named.trim() === '') throw badRunTarget(named, `${flag} names nothing`, NOTHING_NAMED);
  const because = `${flag} names ${file === undefined ? 'a group' : 'a file'}.`;
  return { target: { from: 'members', file, group }, because };
}

function classifyArgument(
  text: string,
  schemes: TargetRequest['schemes'],
): Classified<RunTarget | NamedTarget> {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(text)?.[1];
  if (scheme === undefined) return classifyName(text);
  if (/^https?$/i.test(scheme)) {
    return {
      target: { from: 'url', url: parseUrl(text) },
      because: `It is a URL (${scheme.toLowerCase()}).`,
    };
  }
  const packages = schemes.get(scheme);
  if (packages === undefined) {
    const known = [...schemes.keys(), 'http', 'https'].map((name) => `${name}://`).join(', ');
    const hint = schemes.has(scheme.toLowerCase())
      ? `Write the scheme in small letters: ${scheme.toLowerCase()}://.`
      : `These are known: ${known}.`;
    throw badRunTarget(text, `there is no scheme ${scheme}://`, hint);
  }
  const name = text.slice(scheme.length + 3);
  const reference = parsePackage(name, packages);
  const target = { from: 'scheme', scheme, package: name, reference } as const;
  return { target, because: `It starts with ${scheme}://.` };
}

function parseUrl(text: string): URL {
  const hint = 'Write the address of the server, for example https://mcp.acme.example/mcp.';
  const url = URL.parse(text);
  if (url === null || url.hostname === '') throw badRunTarget(text, 'it is no URL with a host', hint);
  if (url.username !== '' || url.password !== '') {
    const instead = 'Leave them out, and use --remote-forward-headers-secret Authorization=SECRET.';
    throw badRunTarget(`${url.protocol}//${url.host}`, 'the URL holds user name or password', instead);
  }
  const open = findPlaceholder(text);
  if (open !== undefined)
    throw badRunTarget(text, `the URL contains the placeholder ${open}`, `Replace ${open} with its value.`);
  return url;
}

/** Matches names of registry servers, and their short form, the part after the slash. */
const SERVER = /^(?:[A-Za-z0-9.-]+\/)?[A-Za-z0-9._-]+$/;

function classifyName(text: string): Classified<NamedTarget> {
  const canBeServer = SERVER.test(text) && text.length <= 200;
  const image = findImageReference(text);
  const canBeImage = image !== undefined;
  if (!canBeServer && !canBeImage) {
    const hint = packageMeant(text) ?? NOTHING_NAMED;
    throw badRunTarget(text, 'it is neither a server name nor an image', hint);
  }
  const because = canBeServer
    ? 'It is a plain name: registry and engine are asked.'
    : 'No server has such a name, so it is an image.';
  const saysImage = image !== undefined && (!canBeServer || isOnImageHost(image));
  return { target: { from: 'name', text, canBeServer, canBeImage, saysImage }, because };
}

/** Returns the hint for an npm package without its scheme, and for a scheme without `//`. */
function packageMeant(text: string): string | undefined {
  const [, scheme = 'npx', name] =
    /^(?:(npx|uvx|go):\/?)?(@?[\w.-]+(?:\/[\w.-]+)*(?:@[\w.-]+)?)$/.exec(text) ?? [];
  if (name === undefined || (scheme === 'npx' && !text.includes('@') && !text.includes(':')))
    return undefined;
  return `Write ${scheme}://${name} for a package.`;
}

/**
 * Matches hosts of image registries. Server names begin with a reversed domain name, so a name such as
 * `dev.acme/weather` could also be an image.
 */
const IMAGE_HOST =
  /^(?:localhost|(?:index\.|registry-1\.)?docker\.io|ghcr\.io|quay\.io|(?:.+\.)?gcr\.io|.+\.pkg\.dev|.+\.azurecr\.io|mcr\.microsoft\.com|public\.ecr\.aws|.+\.amazonaws\.com|registry\.gitlab\.com|registry\.k8s\.io|lscr\.io)$/i;

function isOnImageHost({ registry = '' }: ImageReference): boolean {
  return IMAGE_HOST.test(registry);
}

/** Result of a registry look-up that does not fail. */
export type LookupOutcome =
  | { readonly outcome: 'found'; readonly server: string; readonly registry: string }
  | {
      readonly outcome: 'not-found';
      readonly registry: string;
      readonly didYouMean?: string | undefined;
    }
  | { readonly outcome: 'no-registry' };

/**
 * Decides what a name refers to after the look-up. When the registry does not have it, the name is an image
 * if it clearly looks like one, or if the engine has that image. Throws ERR_RUN_TARGET otherwise.
 */
export function settleName(
  target: NamedTarget,
  lookup: LookupOutcome,
  isOnEngine = false,
): Classified<RunTarget> {
  if (lookup.outcome === 'found') {
    const because = `The registry ${lookup.registry} has a server of this name.`;
    return { target: { from: 'registry', server: lookup.server }, because };
  }
  const where =
    lookup.outcome === 'no-registry'
      ? 'no registry is configured'
      : `the registry ${lookup.registry} has no server of this name`;
  if (!target.canBeImage) {
    throw badRunTarget(
      target.text,
      `${where}, and it is no image reference`,
      `${serverHint(lookup)}, or name an image (image names have small letters only).`,
    );
  }
  if (!target.saysImage && !isOnEngine) {
    throw badRunTarget(
      target.text,
      `${where}, and the engine has no image of this name`,
      `${serverHint(lookup)}; for an image that has to be pulled, write its tag: ${target.text}:latest.`,
    );
  }
  const because = !target.canBeServer
    ? 'No server can have such a name, so it is an image.'
    : target.saysImage
      ? `${where.charAt(0).toUpperCase()}${where.slice(1)}, and it names an image registry, so it is an image.`
      : 'The engine has an image of this name.';
  return { target: { from: 'image', reference: target.text }, because };
}

function serverHint(lookup: Exclude<LookupOutcome, { readonly outcome: 'found' }>): string {
  if (lookup.outcome === 'no-registry') return 'Choose a registry with `portolan config set-registry`';
  const { didYouMean } = lookup;
  return didYouMean === undefined
    ? 'For a server, look for its name with `portolan search`'
    : `Did you mean ${didYouMean}? Names of servers are found with \`portolan search\``;
}
