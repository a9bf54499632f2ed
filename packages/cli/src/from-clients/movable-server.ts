import { isWorkloadName } from '@portolan/run-spec';
import type { FileWorkload } from '@portolan/run-spec/workloads-file';
import { isJsonObject } from '@portolan/plugin-api';
import type { ForeignEntry } from '@portolan/workload/clients';
import { adviseCommand } from '../foreign-command/translate-command.ts';
import { findForeignServers, type ForeignServer } from '../foreign-command/translate-json.ts';
import type { Translation } from '../foreign-command/translation.ts';
import { flagsOfWords } from './flags-of-words.ts';

/** Server of a client that can become a workload. */
export interface MovableServer {
  readonly workload: FileWorkload;
  /** Values of the secrets that its settings refer to, by the name of the secret. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Sentences about settings of the entry that the workload does not have. */
  readonly notes: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the workload for a server of a client, or why the server cannot become one. */
export function readMovable(
  { name, value }: Pick<ForeignEntry, 'name' | 'value'>,
  environment: Environment,
): MovableServer | { readonly stays: string } {
  if (isDisabled(value)) return { stays: 'it is disabled' };
  const [server] = findForeignServers({ mcpServers: { [name]: value } }) ?? [];
  if (server === undefined) return { stays: 'its entry has neither a command nor a URL' };
  const { translation } = server;
  if (translation === undefined) return { stays: describeProgram(server) };
  const workloadName = name.replaceAll(/[^A-Za-z0-9._-]+/g, '-');
  if (!isWorkloadName(workloadName))
    return { stays: 'its name has no letter and no digit, or more than 100 characters' };
  const because = findObstacle(translation);
  if (because !== undefined) return { stays: because };
  const secrets = readSecrets(translation, environment);
  if ('unknown' in secrets) return { stays: describeUnknown(secrets.unknown) };
  const flags = readFlags(translation, environment);
  if ('unknown' in flags) return { stays: describeUnknown(flags.unknown) };
  const { name: _name, ...rest } = flags;
  return {
    workload: {
      name: workloadName,
      kind: /^https?:\/\//.test(translation.target) ? 'url' : 'run',
      target: translation.target,
      args: translation.args,
      flags: rest,
      config: undefined,
    },
    secrets,
    notes: translation.notes.filter((note) => !/^(?:The secret|\$)/.test(note)),
  };
}

function isDisabled(value: unknown): boolean {
  return isJsonObject(value) && (value['disabled'] === true || value['enabled'] === false);
}

function describeProgram({ words }: ForeignServer): string {
  const advice = adviseCommand(words);
  const program = `it starts the program ${words[0] ?? ''}, which is no package, image or URL`;
  return advice === undefined ? program : `${program}: ${advice}`;
}

/** Returns what a user has to do before the server can become a workload; undefined if nothing. */
function findObstacle(translation: Translation): string | undefined {
  const [step] = translation.linesBefore.filter((line) => !line.startsWith('portolan secret set '));
  if (step !== undefined) return `it needs a command first: \`${step}\``;
  const open = translation.notes.flatMap((note) => /^\$(\w+) replaces/.exec(note)?.[1] ?? []);
  return open.length === 0
    ? undefined
    : `its arguments or its address have a secret or an unknown value (${open.join(', ')}); expected it in a variable or a header`;
}

function describeUnknown(names: readonly string[]): string {
  return `the value of ${names.join(', ')} is not in its entry and not in the environment`;
}

/** Matches the placeholders of clients for variables and inputs. */
const PLACEHOLDER = /\$\{(?:(env|input):)?([\w.-]+)(?::-([^}]*))?\}|^\$([A-Za-z_]\w*)$/g;

/** Returns a value with variables of the environment in place of placeholders, or the names without a value. */
function fillPlaceholders(
  value: string,
  environment: Environment,
): string | { readonly unknown: readonly string[] } {
  const unknown: string[] = [];
  const text = value.replaceAll(
    PLACEHOLDER,
    (whole, kind?: string, braced?: string, fallback?: string, plain?: string) => {
      const name = braced ?? plain ?? '';
      const found = kind === 'input' ? undefined : (environment[name] ?? fallback);
      if (found === undefined) unknown.push(name);
      return found ?? whole;
    },
  );
  return unknown.length === 0 ? text : { unknown };
}

function readSecrets(
  translation: Translation,
  environment: Environment,
): ReadonlyMap<string, string> | { readonly unknown: readonly string[] } {
  const secrets = new Map<string, string>();
  const unknown: string[] = [];
  for (const [name, value] of translation.secrets) {
    const filled = fillPlaceholders(value ?? `\${${name}}`, environment);
    if (typeof filled === 'string') secrets.set(name, filled);
    else unknown.push(...filled.unknown);
  }
  return unknown.length === 0 ? secrets : { unknown };
}

/** Returns the flags, with the values of the environment for variables that the entry only names. */
function readFlags(
  { flags: words }: Translation,
  environment: Environment,
): FileWorkload['flags'] | { readonly unknown: readonly string[] } {
  const flags = flagsOfWords(words);
  const unknown = (flags.env ?? []).filter((text) => !text.includes('=') && environment[text] === undefined);
  if (unknown.length > 0) return { unknown };
  const env = flags.env?.map((text) => (text.includes('=') ? text : `${text}=${environment[text] ?? ''}`));
  return { ...flags, ...(env === undefined ? {} : { env }) };
}
