import { PortolanError } from '@portolan/plugin-api';
import { quote } from '../parse/text-faults.ts';

/** Creates the error for a text that is not a run config document, with every problem and its place. */
export function badRunConfig(file: string, problems: readonly string[]): PortolanError {
  const text = problems.map((problem) => `\n  ${problem}`).join('');
  return new PortolanError('ERR_RUN_CONFIG', 'mistake', `${file} is not a run configuration:${text}`, {
    hint: 'Export the workload again, or correct the named places.',
  });
}

/** Creates the error for a run config of an unknown format version. */
export function runConfigVersion(file: string, actual: string, known: string): PortolanError {
  return new PortolanError(
    'ERR_RUN_CONFIG',
    'mistake',
    `${file} has the format ${quote(actual)}; this version of Portolan reads ${known}.`,
    { hint: 'Use the version of Portolan that wrote the file, or a newer one.' },
  );
}

/** Creates the error for a run config with protections that cannot be enforced. */
export function protectionsNotEnforced(name: string, fields: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_RUN_CONFIG_PROTECTION',
    'mistake',
    `${name === '' ? 'The workload' : name} does not run: this version of Portolan cannot enforce ${fields.join(', ')}.`,
    { hint: 'Remove the fields only if the workload may run without them.' },
  );
}

/** Creates the error for writing a run config with a plain-text secret. */
export function runConfigHoldsSecret(places: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_RUN_CONFIG_SECRET',
    'refused',
    `The run configuration contains a secret in plain text: ${places.join(', ')}. Nothing was written.`,
    { hint: 'Store the secret with `portolan secret set`, and refer to it as NAME,target=TARGET.' },
  );
}
