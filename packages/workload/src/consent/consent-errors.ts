import { PortolanError } from '@portolan/plugin-api';
import type { Grant, Refusal } from '@portolan/run-spec';

/**
 * Creates the error for a run that needs the user's consent, when there is no terminal on which to ask for
 * it.
 */
export function consentNeeded(
  author: string,
  grants: readonly Grant[],
): PortolanError & { readonly grants: readonly Grant[] } {
  const lines = grants.map(({ line }) => `\n  ${line}`).join('');
  const error = new PortolanError(
    'ERR_CONSENT_NEEDED',
    'mistake',
    `${author} asks for permissions that you have not granted:${lines}`,
    { hint: 'Run the command on a terminal to grant them, or add --trust after you have read the list.' },
  );
  return Object.assign(error, { grants });
}

export function consentDenied(author: string): PortolanError {
  return new PortolanError(
    'ERR_NOT_CONFIRMED',
    'refused',
    `${author} was not granted the permissions that it asks for.`,
    {
      hint: 'Set what you want with flags; `portolan plan` shows which settings need a permission.',
    },
  );
}

/** Creates the error for settings that are forbidden in a registry entry or a file, even with consent. */
export function consentRefused(author: string, refusals: readonly Refusal[]): PortolanError {
  const lines = refusals.map(({ setting, found, because }) => `\n  ${setting}: found ${found}; ${because}`);
  return new PortolanError(
    'ERR_CONSENT_REFUSED',
    'mistake',
    `${author} has settings that only you may set:${lines.join('')}`,
    {
      hint: 'Use a flag or a permission profile of your own instead, or ask the author to remove the setting.',
    },
  );
}

export function trustUnknown(name: string): PortolanError {
  return new PortolanError('ERR_NAME_UNKNOWN', 'absent', `There is no consent for ${JSON.stringify(name)}.`, {
    hint: '`portolan trust list` shows what you have accepted.',
  });
}

export function trustDamaged(file: string, because: string): PortolanError {
  return new PortolanError('ERR_STATE_DAMAGED', 'fault', `${file} cannot be used: ${because}.`, {
    hint: 'Restore a copy of the file, or delete it; Portolan then asks for consent again.',
  });
}
