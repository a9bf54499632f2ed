import type { Entry } from '../answers/entry.ts';
import { listOf, mapOf } from '../answers/json-value.ts';
import { type Input, inputsOf } from './inputs.ts';

/** The commands that run an entry with Portolan, one a line. */
export function runCommands(entry: Entry, registryUrl: string): readonly string[] {
  const { document, name } = entry;
  const [first = {}] = [...listOf(document['packages']), ...listOf(document['remotes'])].map(mapOf);
  const needed = inputsOf(first).filter(({ isRequired, fallback }) => isRequired && fallback === undefined);
  const variables = needed.filter(({ place }) => place === 'environment');
  const secrets = variables.filter(({ isSecret }) => isSecret);
  return [
    `portolan config set-registry ${quoted(registryUrl)}${registryUrl.startsWith('http:') ? ' --allow-private-ip' : ''}`,
    ...secrets.map(({ name: variable }) => `portolan secret set ${quoted(secretName(variable))}`),
    ['portolan run', quoted(name), ...variables.map(optionOf)].join(' '),
  ];
}

function optionOf({ name, isSecret, placeholder }: Input): string {
  if (isSecret) return `--secret ${quoted(`${secretName(name)},target=${name}`)}`;
  return `--env ${quoted(`${name}=${placeholder ?? `<${name.toLowerCase()}>`}`)}`;
}

function secretName(variable: string): string {
  return variable.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

/** As a shell takes it for one word. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
