import { PortolanError } from '@portolan/plugin-api';
import { oneOf, quote } from '../parse/text-faults.ts';

/** Creates the error for a registry entry without anything that can run here. */
export function entryNotRunnable(name: string, because: string): PortolanError {
  return new PortolanError('ERR_ENTRY_NOT_RUNNABLE', 'fault', `${name} cannot run: ${because}.`, {
    hint: 'Name an image, a package or a URL instead of the registry entry.',
  });
}

/** Creates the error for an input value that the registry entry does not allow. */
export function badInputValue(input: string, choices: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_SETTING',
    'mistake',
    `The value given for ${input} is not ${oneOf(choices.map((choice) => quote(choice)))}.`,
    { hint: 'Choose one of the values that the registry entry lists.' },
  );
}

/** Creates the error for an input value without the format of the registry entry. */
export function badInputFormat(input: string, expected: string): PortolanError {
  return new PortolanError('ERR_SETTING', 'mistake', `The value given for ${input} is not ${expected}.`, {
    hint: 'Write a value in the format that the registry entry names.',
  });
}

/** Creates the error for a secret that would be stored in plain text. */
export function secretInClear(input: string, where: string): PortolanError {
  return new PortolanError(
    'ERR_SECRET_REFERENCE',
    'mistake',
    `${input} is a secret in ${where}, which is stored in plain text.`,
    {
      hint: 'Run the image or URL directly, with the value in place of the variable.',
    },
  );
}
