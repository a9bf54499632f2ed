import type { Entry } from '../answers/entry.ts';
import { type JsonMap, listOf, mapOf } from '../answers/json-value.ts';
import { type Input, inputsOf } from './inputs.ts';

/** The commands that run an entry with Portolan, one a line; none where it runs nothing of the entry. */
export function runCommands({ document, name }: Entry, registryUrl: string): readonly string[] {
  const run = whatRuns(document);
  if (run === undefined) return [];
  const given = inputsOf(run)
    .filter(({ isRequired, fallback }) => isRequired && fallback === undefined)
    .filter(canBeGiven);
  const secrets = new Set(given.filter(({ isSecret }) => isSecret).map(secretName));
  return [
    `portolan config set-registry ${quoted(registryUrl)}${registryUrl.startsWith('http:') ? ' --allow-private-ip' : ''}`,
    ...[...secrets].map((secret) => `portolan secret set ${quoted(secret)}`),
    ['portolan run', quoted(name), ...new Set(given.map(optionOf))].join(' '),
  ];
}

/** What `portolan run` takes of an entry: its first remote, else its only image, else its first npm or PyPI package. */
function whatRuns(document: JsonMap): JsonMap | undefined {
  const [remote] = listOf(document['remotes']).map(mapOf);
  if (remote !== undefined) return remote;
  const packages = listOf(document['packages']).map(mapOf);
  const images = packages.filter(({ registryType }) => registryType === 'oci');
  if (images.length > 1) return undefined;
  return images[0] ?? packages.find(({ registryType }) => registryType === 'npm' || registryType === 'pypi');
}

/** What cannot be given by a name is asked for on the terminal. */
function canBeGiven({ place, askedAs }: Input): boolean {
  return place === 'header' || (place !== 'runtime' && /^[A-Za-z_][\w.-]*$/.test(askedAs));
}

function optionOf(input: Input): string {
  const { place, askedAs, isSecret, placeholder = `<${askedAs.toLowerCase()}>` } = input;
  const isHeader = place === 'header' && input.name === askedAs;
  if (isHeader)
    return isSecret
      ? `--remote-forward-headers-secret ${quoted(`${askedAs}=${secretName(input)}`)}`
      : `--remote-forward-headers ${quoted(`${askedAs}=${placeholder}`)}`;
  if (isSecret) return `--secret ${quoted(`${secretName(input)},target=${askedAs}`)}`;
  return `--env ${quoted(`${askedAs}=${placeholder}`)}`;
}

function secretName({ askedAs }: Input): string {
  const words = askedAs.toLowerCase().match(/[a-z0-9]+/g) ?? ['secret'];
  return words.join('-');
}

/** As a shell takes it for one word. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
