import type { PortolanError } from '@portolan/plugin-api';
import {
  type EntryInput,
  type FilledSettings,
  type InputValues,
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

export interface ResolvedInputs {
  readonly filled: FilledSettings;
  readonly stored: readonly SecretReference[];
  /** Inputs that a stored secret of the same name filled. */
  readonly taken: readonly string[];
  readonly missing: readonly EntryInput[];
  readonly warnings: readonly string[];
}

export interface InputSources {
  readonly findSecret: (name: string) => Promise<string | undefined>;
  /** Asks the user for an input. Undefined without a terminal. */
  readonly ask: ((question: RunQuestion) => Promise<string>) | undefined;
  readonly unanswered: 'refused' | 'left out';
}

/**
 * Fills the inputs of a registry entry from values on the command line, stored secrets of the same name, and
 * input of the user. A value from `--secret` always counts as secret. Throws ERR_INPUTS_MISSING,
 * ERR_SECRET_NOT_FOUND, and like `fillServerSettings`.
 */
export async function resolveInputs(
  published: ServerSettings,
  request: RunRequest,
  environment: ReadonlyMap<string, Setting<string>>,
  { findSecret, ask, unanswered }: InputSources,
): Promise<ResolvedInputs> {
  const values = new Map([...environment].map(([name, { value }]) => [name, value]));
  const named = (request.flags.secrets ?? []).map((text) => parseSecretReference(text, '--secret'));
  const secrets = new Set(named.map(({ target }) => target));
  const server = markSecrets(published, secrets);
  const references = new Map(named.map(({ name, target }) => [target, name]));
  const given: InputValues = {
    values,
    secrets,
    references,
    hasArguments: request.args.length > 0,
    headers: givenHeaders(request.flags),
  };
  // A secret that is only a part of a variable or header must be read now, because a reference can replace
  // only a whole value.
  for (const { name, target } of named.filter((one) => isPartInput(server, one.target))) {
    const secret = await findSecret(name);
    if (secret !== undefined) values.set(target, secret);
    else if (unanswered === 'refused') throw secretsMissing([name], 'the secret store');
  }
  const stored: SecretReference[] = [];
  const taken: string[] = [];
  for (const input of findMissingInputs(server, given)) {
    // The registry entry chooses these names, so never look up a secret that is reserved for Portolan.
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

/**
 * Returns whether the value of a variable consists only of the input. Only then can a secret reference
 * replace it.
 */
function isVariable({ variables }: ServerSettings, name: string): boolean {
  return variables.some((variable) => variable.name === name && isWholeInput(variable.value, name));
}
