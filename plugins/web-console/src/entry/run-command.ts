import type { Entry } from '../responses/entry.ts';
import { type JsonMap, listOf, mapOf } from '../responses/json-value.ts';
import { type Input, inputsOf } from './inputs.ts';

/**
 * Returns the commands that run an entry with Portolan, one per line; none if Portolan cannot run it.
 * `loginUrl` is the server to log in to first.
 */
export function runCommands(entry: Entry, registryUrl: string, loginUrl?: string): readonly string[] {
  const { name } = entry;
  const inputs = neededInputs(entry);
  if (inputs === undefined) return [];
  const secretOf = (input: Input): string => secretNameOf(entry, input);
  const secrets = new Set(inputs.filter(({ isSecret }) => isSecret).map(secretOf));
  return [
    ...(loginUrl === undefined ? [] : [`portolan registry login ${quoted(loginUrl)}`]),
    `portolan config set-registry ${quoted(registryUrl)}${registryUrl.startsWith('http:') ? ' --allow-private-ip' : ''}`,
    ...[...secrets].map((secret) => `portolan secret set ${quoted(secret)}`),
    ['portolan run', quoted(name), ...new Set(inputs.map((input) => optionOf(input, secretOf(input))))].join(
      ' ',
    ),
  ];
}

/** Returns the required inputs that settings can give; undefined if Portolan cannot run the entry. */
export function neededInputs({ document }: Entry): readonly Input[] | undefined {
  const run = whatRuns(document);
  if (run === undefined) return undefined;
  return inputsOf(run.place)
    .filter(({ isNeeded }) => isNeeded)
    .filter((input) => canBeSet(input, run.isRemote));
}

/** Returns the name under which the commands store the secret of an input. */
export function secretNameOf({ name }: Entry, { askedAs }: Input): string {
  return `${nameOf(name)}-${wordsOf(askedAs)}`;
}

/**
 * Returns what `portolan run` selects: the first remote, else the only image, else the first npm or PyPI
 * package.
 */
function whatRuns(document: JsonMap): { readonly place: JsonMap; readonly isRemote: boolean } | undefined {
  const [remote] = listOf(document['remotes']).map(mapOf);
  if (remote !== undefined) return { place: remote, isRemote: true };
  const packages = listOf(document['packages']).map(mapOf);
  const images = packages.filter(({ registryType }) => registryType === 'oci');
  if (images.length > 1) return undefined;
  const place =
    images[0] ?? packages.find(({ registryType }) => registryType === 'npm' || registryType === 'pypi');
  return place === undefined ? undefined : { place, isRemote: false };
}

/** Returns whether an input can be set on the command line. The command prompts for the other inputs. */
function canBeSet({ place, askedAs }: Input, isRemote: boolean): boolean {
  if (place === 'runtime' || !/^[A-Za-z_][\w.-]*$/.test(askedAs)) return false;
  return place !== 'header' || isRemote;
}

function optionOf(input: Input, secret: string): string {
  const { askedAs, isSecret } = input;
  const placeholder = placeholderOf(input);
  if (isHeader(input))
    return isSecret
      ? `--remote-forward-headers-secret ${quoted(`${askedAs}=${secret}`)}`
      : `--remote-forward-headers ${quoted(`${askedAs}=${placeholder}`)}`;
  if (isSecret) return `--secret ${quoted(`${secret},target=${askedAs}`)}`;
  return `--env ${quoted(`${askedAs}=${placeholder}`)}`;
}

/** Returns whether an input is the whole value of a header. */
export function isHeader({ place, name, askedAs }: Input): boolean {
  return place === 'header' && name === askedAs;
}

/** Returns the text in place of a value that the user gives. */
export function placeholderOf({ askedAs, placeholder = `<${askedAs.toLowerCase()}>` }: Input): string {
  return placeholder;
}

/** Returns the last part of a server name: `weather` of `dev.acme/weather`. */
export function nameOf(server: string): string {
  return wordsOf(server.split('/').at(-1) ?? server);
}

/** Converts a name to the usual form of a secret name. */
function wordsOf(text: string): string {
  return (text.toLowerCase().match(/[a-z0-9]+/g) ?? ['server']).join('-');
}

/** Quotes a text as one shell word. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
