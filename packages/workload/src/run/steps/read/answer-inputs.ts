import type { PortolanError } from '@portolan/plugin-api';
import {
  type EntryInput,
  type FilledSettings,
  type GivenValues,
  type RunRequest,
  type SecretReference,
  type ServerSettings,
  type Setting,
  fillServerSettings,
  findMissingInputs,
  givenHeaders,
  isPartInput,
  isReservedSecret,
  isWholeInput,
  markSecrets,
  parseSecretReference,
  warnOfOpenNames,
} from '@portolan/run-spec';
import { missingHeaders, missingInputs, missingInputsAndHeaders } from '../../run-errors.ts';
import { secretsMissing } from '../../../secrets/secret-errors.ts';
import type { RunQuestion } from '../../run-observer.ts';

export interface AnsweredInputs {
  readonly filled: FilledSettings;
  /** Secrets of the store that an input is named like. */
  readonly stored: readonly SecretReference[];
  /** Names of all stored secrets that fill inputs of the entry, because the entry names them. */
  readonly taken: readonly string[];
  /** What has no value and nobody was asked for. */
  readonly missing: readonly EntryInput[];
  readonly warnings: readonly string[];
}

export interface InputSources {
  /** Value of a stored secret of that name; undefined when there is none. */
  readonly findSecret: (name: string) => Promise<string | undefined>;
  /** Undefined: nobody can be asked. */
  readonly ask: ((question: RunQuestion) => Promise<string>) | undefined;
  /** What becomes of an input without a value. */
  readonly unanswered: 'refused' | 'left out';
}

/**
 * The entry's inputs with values: those given, stored secrets of the same name,
 * then answers of the user. Throws ERR_INPUTS_MISSING with the list of those
 * that stay without, ERR_SECRET_NOT_FOUND, and what `fillServerSettings` throws. What
 * the user gives by --secret is a secret, whatever the entry says.
 */
export async function answerInputs(
  published: ServerSettings,
  request: RunRequest,
  environment: ReadonlyMap<string, Setting<string>>,
  { findSecret, ask, unanswered }: InputSources,
): Promise<AnsweredInputs> {
  const values = new Map([...environment].map(([name, { value }]) => [name, value]));
  const named = (request.flags.secrets ?? []).map((text) => parseSecretReference(text, '--secret'));
  const secrets = new Set(named.map(({ target }) => target));
  const server = markSecrets(published, secrets);
  const references = new Map(named.map(({ name, target }) => [target, name]));
  const given: GivenValues = {
    values,
    secrets,
    references,
    hasArguments: request.args.length > 0,
    headers: givenHeaders(request.flags),
  };
  // Where a secret is only a part of a variable or header, its value is needed to make the whole.
  for (const { name, target } of named.filter((one) => isPartInput(server, one.target))) {
    const secret = await findSecret(name);
    if (secret !== undefined) values.set(target, secret);
    else if (unanswered === 'refused') throw secretsMissing([name], 'the secret store');
  }
  const stored: SecretReference[] = [];
  const taken: string[] = [];
  for (const input of findMissingInputs(server, given)) {
    // An entry chooses the names of its inputs, so a reserved name is never looked up.
    const isStored = input.isSecret && !isReservedSecret(input.name);
    const secret = isStored ? await findSecret(input.name) : undefined;
    if (secret === undefined) continue;
    taken.push(input.name);
    references.set(input.name, input.name);
    if (isVariable(server, input.name)) {
      stored.push({ name: input.name, target: input.name });
      secrets.add(input.name);
    } else values.set(input.name, secret);
  }
  const missing = findMissingInputs(server, given);
  if (missing.length > 0 && ask === undefined && unanswered === 'refused') {
    const { headers = [], others = [] } = Object.groupBy(missing, ({ name }) =>
      server.headers.some((header) => header.name === name) ? 'headers' : 'others',
    );
    throw refusalOf(namesOf(others), namesOf(headers));
  }
  if (ask !== undefined) for (const input of missing) values.set(input.name, await ask(input));
  return {
    filled: fillServerSettings(server, given),
    stored,
    taken,
    missing: ask === undefined ? missing : [],
    warnings: [warnOfOpenNames(server, given)].filter((warning) => warning !== undefined),
  };
}

function refusalOf(names: readonly string[], headers: readonly string[]): PortolanError {
  if (headers.length === 0) return missingInputs(names);
  return names.length === 0 ? missingHeaders(headers) : missingInputsAndHeaders(names, headers);
}

function namesOf(inputs: readonly EntryInput[]): readonly string[] {
  return inputs.map(({ name }) => name);
}

/** A variable that is the input as a whole can be left to a reference. */
function isVariable({ variables }: ServerSettings, name: string): boolean {
  return variables.some((variable) => variable.name === name && isWholeInput(variable.value, name));
}
