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
  /** References to stored secrets that have the name of an input. */
  readonly stored: readonly SecretReference[];
  /** Names of all stored secrets that fill inputs because they have the input's name. */
  readonly taken: readonly string[];
  /** Inputs without a value. */
  readonly missing: readonly EntryInput[];
  readonly warnings: readonly string[];
}

export interface InputSources {
  /** Returns the value of a stored secret; undefined when there is none. */
  readonly findSecret: (name: string) => Promise<string | undefined>;
  /** Asks the user for a value. Undefined without a terminal. */
  readonly ask: ((question: RunQuestion) => Promise<string>) | undefined;
  /** What happens to an input without a value. */
  readonly unanswered: 'refused' | 'left out';
}

/**
 * Fills the inputs of an entry from given values, then from stored secrets of the same name, then by asking
 * the user. A value from `--secret` is secret even if the entry does not say so. Throws ERR_INPUTS_MISSING
 * with all inputs without a value, ERR_SECRET_NOT_FOUND, and like `fillServerSettings`.
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
  // A secret that is only a part of a variable or header must be read now, to compose the whole value.
  for (const { name, target } of named.filter((one) => isPartInput(server, one.target))) {
    const secret = await findSecret(name);
    if (secret !== undefined) values.set(target, secret);
    else if (unanswered === 'refused') throw secretsMissing([name], 'the secret store');
  }
  const stored: SecretReference[] = [];
  const taken: string[] = [];
  for (const input of findMissingInputs(server, given)) {
    // An entry chooses the names of its inputs, so a reserved secret name is never looked up.
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

/** Returns whether a variable consists of the input alone, so that a secret reference can fill it. */
function isVariable({ variables }: ServerSettings, name: string): boolean {
  return variables.some((variable) => variable.name === name && isWholeInput(variable.value, name));
}
